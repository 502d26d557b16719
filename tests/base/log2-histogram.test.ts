import { expect, test } from 'bun:test';
import { Log2Histogram } from '../../src/base/log2-histogram.ts';

test('the quantile of nothing is 0, and of one value that value', () => {
  const histogram = new Log2Histogram();
  expect(histogram.quantile(0.5)).toBe(0);
  histogram.add(5);
  for (const share of [0, 0.5, 1]) expect(histogram.quantile(share)).toBe(5);
});

test('a quantile is at least the value of its rank, and never above the maximum', () => {
  const histogram = new Log2Histogram();
  for (let value = 1; value <= 100; value++) histogram.add(value);
  expect(histogram.quantile(1)).toBe(100);
  for (const rank of [1, 10, 50, 64, 65, 90]) {
    const found = histogram.quantile(rank / 100);
    expect(found).toBeGreaterThanOrEqual(rank);
    expect(found).toBeLessThanOrEqual(Math.min(2 * rank, 100));
  }
});
