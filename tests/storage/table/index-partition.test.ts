/** The search of a partition for the block of a key, from the block of a lower key on. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { encodePartition, IndexPartition } from '../../../src/storage/table/index-partition.ts';

/** Long common prefixes make the heads of many separators equal. */
const anySeparator = fc
  .tuple(fc.constantFrom('a', 'b'), fc.stringMatching(/^[ab]{0,7}$/))
  .map(([first, rest]) => new TextEncoder().encode(`${first}bbb${rest}`));

test('a search from a lower block finds the block that a search of all finds', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anySeparator, { minLength: 1, maxLength: 64, selector: String }),
      anySeparator,
      (unsorted, key) => {
        const separators = unsorted.toSorted(Buffer.compare);
        const blocks = separators.map((separator, i) => ({
          at: 8 * i,
          bytes: 8,
          checksum: 0,
          rows: 1,
          separator,
          zones: [],
          isPlain: true,
        }));
        const partition = new IndexPartition(encodePartition(blocks, 0, undefined));
        const at = separators.findIndex((separator) => Buffer.compare(separator, key) >= 0);
        const expected = at < 0 ? separators.length : at;
        for (let first = 0; first <= expected; first++) {
          expect(partition.find(key, first)).toBe(expected);
        }
      },
    ),
    { seed: 31, numRuns: 1000 },
  );
});
