import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ByteWriter, compareBytes } from '#base';
import {
  appendKey,
  appendKeyMember,
  ByteString,
  comparatorOf,
  decodeKeyMember,
  type Scalar,
  type ScalarType,
  scalarTypes,
  skipKeyMember,
  skipKeyMembers,
} from '#value';
import { scalarOf } from '../arbitrary.ts';

function encoded(types: readonly ScalarType[], values: readonly Scalar[]): Uint8Array {
  const writer = new ByteWriter(1);
  appendKey(writer, types, values);
  return writer.take();
}

const typesAndTuples = fc
  .array(fc.constantFrom(...scalarTypes), { minLength: 1, maxLength: 3 })
  .chain((types) => {
    const tuple = fc.tuple(...types.map(scalarOf));
    return fc.tuple(fc.constant(types), tuple, tuple, fc.nat({ max: types.length }));
  });

for (const type of scalarTypes) {
  test(`the order of ${type} keys is the order of values`, () => {
    fc.assert(
      fc.property(scalarOf(type), scalarOf(type), (a, b) => {
        const order = compareBytes(encoded([type], [a]), encoded([type], [b]));
        expect(Math.sign(order)).toBe(Math.sign(comparatorOf(type)(a, b)));
      }),
      { numRuns: 1000 },
    );
  });
}

test('tuples are ordered member by member', () => {
  fc.assert(
    fc.property(typesAndTuples, ([types, left, other, shared]) => {
      const right = other.map((value, i) => (i < shared ? left[i] : value) as Scalar);
      const orders = types.map((type, i) =>
        comparatorOf(type)(left[i] as Scalar, right[i] as Scalar),
      );
      const order = compareBytes(encoded(types, left), encoded(types, right));
      expect(Math.sign(order)).toBe(Math.sign(orders.find((one) => one !== 0) ?? 0));
    }),
    { numRuns: 1000 },
  );
});

test('members come back, wherever they stand and whatever follows', () => {
  fc.assert(
    fc.property(
      typesAndTuples,
      fc.uint8Array({ maxLength: 2 }),
      ([types, values], surroundings) => {
        const key = encoded(types, values);
        const bytes = Uint8Array.from([...surroundings, ...key, ...surroundings]);
        let at = surroundings.length;
        types.forEach((type, i) => {
          const value = decodeKeyMember(bytes, at, type);
          // A number must come back as the same kind of number; only -0 is folded into 0.
          expect(value).toEqual(values[i] === 0 ? 0 : (values[i] as Scalar));
          at = skipKeyMember(bytes, at);
        });
        expect(at).toBe(surroundings.length + key.length);
        expect(skipKeyMembers(bytes, surroundings.length, types.length)).toBe(at);
      },
    ),
    { numRuns: 1000 },
  );
});

test('the bytes', () => {
  const hex = (type: ScalarType, value: Scalar) => encoded([type], [value]).toHex();
  expect(hex('int64', null)).toBe('01');
  expect(hex('bool', false)).toBe('02');
  expect(hex('bool', true)).toBe('03');
  expect(hex('int64', 1)).toBe('048000000000000001');
  expect(hex('int64', -1)).toBe('047fffffffffffffff');
  expect(hex('int64', -(2n ** 63n))).toBe('040000000000000000');
  expect(hex('int64', 2n ** 53n)).toBe('048020000000000000');
  expect(hex('float64', -0)).toBe('058000000000000000');
  expect(hex('float64', 1)).toBe('05bff0000000000000');
  expect(hex('float64', -1)).toBe('05400fffffffffffff');
  expect(hex('text', '')).toBe('0600');
  expect(hex('text', 'aé')).toBe('0661c3a900');
  expect(hex('text', '\0\u0001\u0002')).toBe('060101010202' + '00');
  expect(hex('bytes', new ByteString(Uint8Array.of(0, 1, 2, 255)))).toBe('070101010202ff00');
});

test('a decoded bytes value has the format of its column', () => {
  const writer = new ByteWriter();
  appendKeyMember(writer, 'bytes', new ByteString(Uint8Array.of(7)));
  expect(decodeKeyMember(writer.peek(), 0, 'bytes', 'uuid')).toEqual(
    new ByteString(Uint8Array.of(7), 'uuid'),
  );
});

test('a long text that is not ASCII at its end', () => {
  const text = `${'x'.repeat(300)}é😀`;
  expect(decodeKeyMember(encoded(['text'], [text]), 0, 'text')).toBe(text);
});

test('bytes that are no key are refused', () => {
  expect(() => skipKeyMember(Uint8Array.of(0), 0)).toThrow('invariant');
  expect(() => decodeKeyMember(Uint8Array.of(6, 65), 0, 'text')).toThrow('invariant');
});
