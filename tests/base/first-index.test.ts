import { expect, test } from 'bun:test';
import { firstIndex } from '#base';

test('the first index at which something holds, or the end', () => {
  for (let length = 0; length <= 9; length++) {
    for (let first = 2; first <= 2 + length; first++) {
      const seen: number[] = [];
      const found = firstIndex(2, 2 + length, (index) => {
        seen.push(index);
        return index >= first;
      });
      expect(found).toBe(first);
      expect(seen.every((index) => index >= 2 && index < 2 + length)).toBe(true);
      expect(seen.length).toBeLessThanOrEqual(Math.ceil(Math.log2(length + 1)));
    }
  }
});
