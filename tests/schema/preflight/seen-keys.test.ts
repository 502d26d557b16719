import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { SeenKeys } from '../../../src/schema/preflight/seen-keys.ts';

test('it knows exactly the keys that were added', () => {
  const key = fc.oneof(
    fc.uint8Array({ maxLength: 3 }),
    fc.array(fc.constantFrom(0, 1, 255), { maxLength: 8 }).map((bytes) => Uint8Array.from(bytes)),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 600 }), (keys) => {
      const seen = new SeenKeys(1 << 20);
      const model = new Set<string>();
      for (const bytes of keys) {
        expect(seen.add(bytes)).toBe(model.has(bytes.toHex()));
        model.add(bytes.toHex());
      }
    }),
    { numRuns: 30 },
  );
});

test('it outgrows its first table many times over', () => {
  const seen = new SeenKeys(64 << 20);
  const keyOf = (i: number) => Buffer.from(`key ${i}`);
  for (let i = 0; i < 50_000; i++) expect(seen.add(keyOf(i))).toBe(false);
  for (let i = 0; i < 50_000; i += 7) expect(seen.add(keyOf(i))).toBe(true);
  expect(seen.add(keyOf(50_000))).toBe(false);
});

test('with its memory used up it still knows what it has, and adds nothing', () => {
  const seen = new SeenKeys(8192);
  const keyOf = (i: number) => Buffer.from(`a longer key that is number ${i}`);
  let kept = 0;
  for (let i = 0; i < 1000; i++) seen.add(keyOf(i));
  for (let i = 0; i < 1000; i++) if (seen.add(keyOf(i))) kept++;
  expect(kept).toBeGreaterThan(50);
  expect(kept).toBeLessThan(250);
  expect(seen.add(keyOf(0))).toBe(true);
});
