/** Bodies cut anew. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { concatenate, stretchesOf } from '../../../src/storage/object/body.ts';

test('stretches of any body are its bytes, all of one length but the last', () => {
  const anyPart = fc.uint8Array({ maxLength: 20 });
  const anyBody = fc.oneof(anyPart, fc.array(anyPart, { maxLength: 8 }));
  fc.assert(
    fc.property(anyBody, fc.integer({ min: 1, max: 30 }), (body, length) => {
      const stretches = [...stretchesOf(body, length)];
      const whole = concatenate(body);
      expect(concatenate(stretches)).toEqual(whole);
      const lengths = stretches.map((stretch) => stretch.length);
      const last = whole.length % length;
      expect(lengths).toEqual([
        ...Array(Math.floor(whole.length / length)).fill(length),
        ...(last === 0 ? [] : [last]),
      ]);
    }),
  );
});
