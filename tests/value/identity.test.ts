import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  ByteString,
  type Datum,
  type DatumType,
  datumKeyOf,
  identityPartOf,
  type OutputColumn,
  type Row,
  type ScalarType,
  scalarTypes,
} from '#value';
import { isSameDatum } from '../support/same-datum.ts';
import { scalarOf } from './arbitrary.ts';

/** One datum is nearly its own key; the parts of several stand one behind the other. */
function identityKeyOf(types: readonly DatumType[]): (tuple: Row) => unknown {
  const [only] = types;
  if (types.length === 1 && only !== undefined) {
    const keyOf = datumKeyOf(only);
    return ([datum]) => keyOf(datum as Datum);
  }
  const parts = types.map(identityPartOf);
  return (tuple) => parts.map((part, i) => part(tuple[i] as Datum)).join('');
}

const column = (type: DatumType, name = 'c'): OutputColumn => ({ name, type, nullable: true });
const two = [column({ kind: 'text' }, 'a'), column({ kind: 'int64' }, 'b')];
const pair = fc.tuple(fc.option(fc.constantFrom('', '1', '1,', 'n', '0:')), scalarOf('int64'));

const shapes: readonly (readonly [DatumType, fc.Arbitrary<Datum>])[] = [
  ...scalarTypes.map((kind): [DatumType, fc.Arbitrary<Datum>] => [{ kind }, scalarOf(kind)]),
  [{ kind: 'row', columns: two }, fc.option(pair)],
  [{ kind: 'array', columns: two }, fc.array(pair, { maxLength: 3 })],
];

/** A tuple and a neighbour that shares most of its members. */
const twins = (count: number) =>
  fc.array(fc.constantFrom(...shapes), { minLength: count, maxLength: count }).chain((chosen) =>
    fc.record({
      types: fc.constant(chosen.map(([type]) => type)),
      left: fc.tuple(...chosen.map(([, value]) => value)),
      right: fc.tuple(...chosen.map(([, value]) => value)),
      shared: fc.array(fc.boolean(), { minLength: count, maxLength: count }),
    }),
  );

for (const count of [1, 2, 3]) {
  test(`keys of ${count} members are equal exactly for identical tuples`, () => {
    fc.assert(
      fc.property(twins(count), ({ types, left, right, shared }) => {
        const other = right.map((datum, i) => (shared[i] ? left[i] : datum)) as Row;
        const isSame = types.every((type, i) =>
          isSameDatum(type, left[i] as Datum, other[i] as Datum),
        );
        const keyOf = identityKeyOf(types);
        expect(new Set([keyOf(left), keyOf(other)]).size).toBe(isSame ? 1 : 2);
      }),
      { numRuns: 500 },
    );
  });
}

const sameKey = (types: readonly ScalarType[], a: Row, b: Row) => {
  const keyOf = identityKeyOf(types.map((kind) => ({ kind })));
  return keyOf(a) === keyOf(b);
};

test('signed zeros are one, alone and in company', () => {
  expect(sameKey(['float64'], [0], [-0])).toBe(true);
  expect(sameKey(['float64', 'bool'], [0, true], [-0, true])).toBe(true);
});

test('NULL is itself and nothing else', () => {
  expect(sameKey(['text'], [null], [null])).toBe(true);
  expect(sameKey(['text', 'text'], [null, 'x'], ['n', 'x'])).toBe(false);
  expect(sameKey(['text'], [null], ['null'])).toBe(false);
});

test('members do not run into each other', () => {
  expect(sameKey(['text', 'text'], ['a', 'b1:c'], ['a1:b', 'c'])).toBe(false);
  expect(sameKey(['int64', 'int64'], [1, 23], [12, 3])).toBe(false);
});

test('bytes by content, without their format', () => {
  const bytes = Uint8Array.of(1, 2);
  expect(sameKey(['bytes'], [new ByteString(bytes)], [new ByteString(bytes.slice(), 'xid')])).toBe(
    true,
  );
  expect(
    isSameDatum({ kind: 'bytes' }, new ByteString(bytes), new ByteString(Uint8Array.of(1))),
  ).toBe(false);
});

test('a big int64 is found in a Map', () => {
  const keyOf = identityKeyOf([{ kind: 'int64' }]);
  const map = new Map([[keyOf([2n ** 60n]), 'found']]);
  expect(map.get(keyOf([2n ** 60n]))).toBe('found');
});

test('nested rows compare member by member, arrays by length too', () => {
  const row: DatumType = { kind: 'row', columns: two };
  const array: DatumType = { kind: 'array', columns: two };
  expect(isSameDatum(row, ['a', 1], ['a', 1])).toBe(true);
  expect(isSameDatum(row, ['a', 1], ['a', null])).toBe(false);
  expect(
    isSameDatum(
      array,
      [['a', 1]],
      [
        ['a', 1],
        ['a', 1],
      ],
    ),
  ).toBe(false);
  expect(isSameDatum(array, [], [])).toBe(true);
});
