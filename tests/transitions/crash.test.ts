/** A part of the crashes of `npm run crash-transitions`, which goes through all of them. */

import { expect, test } from 'bun:test';
import { cases, crashes } from './crashes.ts';

const stride = 9;

test.each(cases.map((one, i) => [one[0], one, i] as const))(
  '%s, without power at some effect',
  async (_, one, i) => {
    expect(await crashes(one, 1 + i, stride)).toBeGreaterThan(stride * 3);
  },
  120_000,
);
