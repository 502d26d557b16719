/** `npm test` leaves out no file by accident, and the files that start first are there. */

import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { portionOf, waysOf } from '../support/portion.ts';
import { slow, suiteCommand, timings } from './suite.ts';

const root = join(import.meta.dir, '..', '..');

test('each pattern of files left out is of a file, and `--all` leaves none out', () => {
  for (const pattern of slow) {
    expect([pattern, [...new Bun.Glob(pattern).scanSync(root)].length > 0]).toEqual([
      pattern,
      true,
    ]);
    expect(suiteCommand(false, [])).toContain(pattern);
    expect(suiteCommand(true, [])).not.toContain(pattern);
  }
});

test('each file that starts first is there', async () => {
  const { files } = (await Bun.file(timings).json()) as { files: Record<string, number> };
  expect(Object.keys(files).length).toBeGreaterThan(10);
  expect(Object.keys(files).filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test('a portion is in order, in a share of the length, and each way has specimens', () => {
  const share = Number(process.env['SVC_TEST_PORTION'] ?? 1);
  expect(portionOf(400)).toBe(Math.floor(400 * share));
  expect(portionOf(1)).toBe(1);
  const ways = ['a', 'b', 'c', 'd', 'e', 'f'];
  const seen = ways.flatMap((_, index) => waysOf(ways, index));
  expect(new Set(seen)).toEqual(new Set(ways));
  expect(seen.length).toBe(ways.length * new Set(waysOf(ways, 0)).size);
});
