/** Two large tables on all ways; `npm run fuzz -- --large` goes on. */

import { expect, test } from 'bun:test';
import { compareLarge } from './compare.ts';

test('questions of tables of twelve thousand rows have the answers of the reference', async () => {
  const { difference, counts } = await compareLarge({
    seed: 32,
    rows: 12_000,
    questions: 8,
    withMisled: false,
  });
  expect(difference).toBe(undefined);
  expect(counts.size).toBeGreaterThan(20);
}, 120_000);
