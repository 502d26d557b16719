/** Generators of values for property tests, dense around the edges where representations change. */

import fc from 'fast-check';
import { ByteString, int64Max, int64Min, type Scalar, type ScalarType, toInt64 } from '#value';

const edges = [0n, 1n, -1n, 2n ** 31n, 2n ** 32n, 2n ** 52n, 2n ** 53n, int64Max].flatMap(
  (edge) => [edge, -edge, edge - 1n, edge + 1n, 1n - edge],
);

const bigInteger = fc.oneof(
  fc.bigInt({ min: int64Min, max: int64Max }),
  fc.integer().map(BigInt),
  fc.constantFrom(...edges, int64Min),
);

export const int64 = bigInteger
  .filter((value) => value <= int64Max)
  .map((value) => toInt64(value) as number | bigint);

export const float64 = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1, -1, Number.MIN_VALUE, -Number.MIN_VALUE, Number.MAX_VALUE, 1e16, 0.1),
);

export const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      '\0',
      '\u0001',
      '\u0002',
      'a',
      'ÿ',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '😀',
      '\u{10ffff}',
    ),
  }),
);

export const bytes = fc
  .oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.array(fc.constantFrom(0, 1, 2, 255), { maxLength: 6 }),
  )
  .map((items) => new ByteString(Uint8Array.from(items)));

export const plainOf: Readonly<Record<ScalarType, fc.Arbitrary<Exclude<Scalar, null>>>> = {
  text,
  int64,
  float64,
  bool: fc.boolean(),
  bytes,
};

/** A value of the type, or NULL now and then. */
export function scalarOf(type: ScalarType): fc.Arbitrary<Scalar> {
  return fc.option(plainOf[type], { freq: 6 });
}
