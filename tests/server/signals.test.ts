/** Signals that a process has been told to ignore. */

import { expect, test } from 'bun:test';
import { isIgnored } from '../../src/server/signals.ts';

test('the mask of the system has one bit for each signal, the first for number 1', () => {
  const status = (mask: string) => `Name:\tsvc\nSigIgn:\t${mask}\nSigCgt:\t0000000000000001\n`;
  expect(isIgnored(status('0000000000001000'), 1)).toBe(false);
  expect(isIgnored(status('0000000000001001'), 1)).toBe(true);
  expect(isIgnored(status('8000000000000000'), 64)).toBe(true);
  expect(isIgnored('', 1)).toBe(false);
});
