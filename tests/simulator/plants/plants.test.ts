/** Known bugs still fit the source, and the simulator still finds some of them; `npm run simulate -- --plants` hunts them all. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { smallBounds } from './bounds.ts';
import { hunt } from './hunt.ts';
import { changedText } from './load.ts';
import { plants } from './plants.ts';

const root = join(import.meta.dir, '..', '..', '..');

test('at least twenty, each with a name of its own', () => {
  expect(plants.length).toBeGreaterThanOrEqual(20);
  expect(new Set(plants.map(({ name }) => name)).size).toBe(plants.length);
});

for (const plant of plants) {
  test(`${plant.name} fits`, () => {
    expect(changedText(readFileSync(join(root, plant.file), 'utf8'), plant)).toContain(plant.to);
  });
}

test('small bounds fit', () => {
  for (const change of smallBounds) {
    expect(changedText(readFileSync(join(root, change.file), 'utf8'), change)).toContain(change.to);
  }
});

test('what is changed must stand once', () => {
  const change = { file: 'any', from: 'a', to: 'b' };
  expect(() => changedText('aa', change)).toThrow('stands 2 times');
  expect(() => changedText('c', change)).toThrow('stands 0 times');
});

test.each([
  'skip-fsync',
  'no-directory-sync-of-tables',
  'old-log-is-not-fenced',
  'taken-counts-as-won',
  'range-reads-not-validated',
  'wrong-order-of-runs',
  'dropped-range-comes-back',
  'corpus-written-in-two-commits',
])(
  '%s is found',
  async (name) => {
    expect((await hunt(name, 60)).seeds).toBeDefined();
  },
  120_000,
);
