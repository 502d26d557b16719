/** The order of a batch of keys against comparing them. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { keyPositions } from '../../src/executor/operators/scan/key-positions.ts';

const byte = fc.constantFrom(0, 1, 127, 128, 255);
const keys = fc.tuple(
  fc.array(byte, { maxLength: 4 }),
  fc.array(fc.array(byte, { maxLength: 8 }), { maxLength: 1024 }),
);

test('keys of any lengths, some of them alike, come in their order', () => {
  fc.assert(
    fc.property(keys, ([prefix, tails]) => {
      const list = tails.map((tail) => Uint8Array.from([...prefix, ...tail]));
      const positions = keyPositions(list);
      expect([...positions].sort((a, b) => a - b)).toEqual(list.map((_, i) => i));
      const found = Array.from(positions, (at) => (list[at] as Uint8Array).toHex());
      expect(found).toEqual(list.toSorted(Buffer.compare).map((key) => key.toHex()));
    }),
    { seed: 11, numRuns: 60 },
  );
});
