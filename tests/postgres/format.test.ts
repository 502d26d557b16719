/** Values in the binary format, in both directions. */

import { describe, expect, test } from 'bun:test';
import { MessageWriter } from '../../src/postgres/codec/message-writer.ts';
import { readBinary } from '../../src/postgres/format/read-binary.ts';
import { cellWriterOf } from '../../src/postgres/format/write-cell.ts';
import { formatsOf, rowWriterOf } from '../../src/postgres/format/write-row.ts';
import type { SqlType, SqlValue } from '../../src/sql/index.ts';
import { ByteString } from '../../src/value/index.ts';
import { stateOf } from './support/state-of.ts';
import { type, utc } from './support/types.ts';

function written(of: SqlType, value: SqlValue, isBinary = true): string {
  const to = new MessageWriter();
  cellWriterOf(of, isBinary, utc)(to, value);
  const bytes = to.bytes.slice(0, to.length);
  expect(new DataView(bytes.buffer).getInt32(0)).toBe(bytes.length - 4);
  return bytes.slice(4).toHex();
}

/** Taken from PostgreSQL 15: `select encode(int8send(…), 'hex')` and its relatives. */
const pairs: readonly (readonly [SqlType, SqlValue, string])[] = [
  [type('bool'), true, '01'],
  [type('int2'), -2, 'fffe'],
  [type('int4'), -2147483648, '80000000'],
  [type('int8'), 0, '0000000000000000'],
  [type('int8'), -1, 'ffffffffffffffff'],
  [type('int8'), 4294967295, '00000000ffffffff'],
  [type('int8'), -4294967297, 'fffffffeffffffff'],
  [type('int8'), 9007199254740991, '001fffffffffffff'],
  [type('int8'), -9007199254740991, 'ffe0000000000001'],
  [type('int8'), 9223372036854775807n, '7fffffffffffffff'],
  [type('int8'), -9223372036854775808n, '8000000000000000'],
  [type('oid'), 4294967295, 'ffffffff'],
  [type('float8'), -0.5, 'bfe0000000000000'],
  [type('float4'), 1.5, '3fc00000'],
  [type('text'), 'é', 'c3a9'],
  [type('jsonb'), '{}', '017b7d'],
  [type('json'), '{}', '7b7d'],
  [type('bytea'), new ByteString(Uint8Array.of(0, 255)), '00ff'],
  [type('date'), 946_684_800_000 - 86_400_000, 'ffffffff'],
  [type('timestamptz'), 946_684_800_001, '00000000000003e8'],
  [type('timestamp'), 0, 'fffca2fec4c82000'],
  [
    type('_int4'),
    [1, null],
    '0000000100000001000000170000000200000001' + '00000004' + '00000001' + 'ffffffff',
  ],
  [type('_text'), [], '000000000000000000000019'],
];

describe('binary', () => {
  test.each(pairs)('%o %p', (of, value, hex) => {
    expect(written(of, value)).toBe(hex);
    expect(readBinary(of, Uint8Array.fromHex(hex))).toEqual(value);
  });

  test('a number that the type cannot contain is refused at output in both formats', () => {
    for (const [name, value] of [
      ['int4', 2147483648],
      ['int4', -2147483649],
      ['int2', 32768],
      ['oid', -1],
    ] as const) {
      expect(stateOf(() => written(type(name), value))).toBe('22003');
      expect(stateOf(() => written(type(name), value, false))).toBe('22003');
    }
  });

  test('wrong lengths, infinity and unknown versions are refused', () => {
    const read = (name: SqlType['name'], hex: string) =>
      stateOf(() => readBinary(type(name), Uint8Array.fromHex(hex)));
    expect(read('int4', '00')).toBe('22P03');
    expect(read('uuid', '00')).toBe('22P03');
    expect(read('float8', '7ff8000000000000')).toBe('22003');
    expect(read('timestamptz', '7fffffffffffffff')).toBe('22008');
    expect(read('date', '80000000')).toBe('22008');
    expect(read('jsonb', '027b7d')).toBe('22P03');
    expect(read('_int4', '00000001')).toBe('22P03');
    expect(read('_int4', '000000010000000000000017' + '7fffffff00000001')).toBe('22P03');
    expect(read('text', 'ff')).toBe('22021');
    expect(read('text', '6100')).toBe('22021');
    expect(read('interval', '00')).toBe('0A000');
  });
});

describe('rows', () => {
  test('nested rows are JSON, or an array of their only column', () => {
    const nested = (kind: 'json' | 'array', name: SqlType['name']) =>
      ({ name: 'n', type: type(name), shape: { kind } }) as const;
    const output = {
      name: 'c1',
      nullable: false,
      type: {
        kind: 'array',
        columns: [{ name: 'a', nullable: true, type: { kind: 'int64' } }],
      },
    } as const;
    const to = new MessageWriter();
    const columns = [nested('json', 'json'), nested('array', '_int8')];
    rowWriterOf(
      columns,
      [output, output],
      [0, 0],
      utc,
    )(to, [
      [[1], [null]],
      [[1], [null]],
    ]);
    const text = new TextDecoder().decode(to.bytes.slice(0, to.length));
    expect(text).toContain('[{"a":1},{"a":null}]');
    expect(text).toContain('{1,NULL}');
  });

  test('an array that a program computes is its text', () => {
    const column = { name: 'a', type: type('_int4'), shape: { kind: 'scalar' } } as const;
    const output = { name: 'c1', nullable: false, type: { kind: 'text' } } as const;
    const written = [0, 1].map((format) => {
      const to = new MessageWriter();
      rowWriterOf([column], [output], [format], utc)(to, ['{1,NULL}']);
      return to.bytes.slice(11, to.length);
    });
    expect(new TextDecoder().decode(written[0])).toBe('{1,NULL}');
    expect(readBinary(type('_int4'), written[1] as Uint8Array)).toEqual([1, null]);
  });

  test('a row whose value cannot be written leaves nothing behind', () => {
    const to = new MessageWriter();
    const column = { name: 'a', type: type('int4'), shape: { kind: 'scalar' } } as const;
    const output = { name: 'c1', nullable: false, type: { kind: 'int64' } } as const;
    const write = rowWriterOf([column], [output], [1], utc);
    write(to, [7]);
    const { length } = to;
    expect(stateOf(() => write(to, [2 ** 40]))).toBe('22003');
    expect(to.length).toBe(length);
  });

  test('formats apply to all columns or to each', () => {
    expect(formatsOf([], 2)).toEqual([0, 0]);
    expect(formatsOf([1], 2)).toEqual([1, 1]);
    expect(formatsOf([1, 0], 2)).toEqual([1, 0]);
    expect(formatsOf([1, 0], 3)).toBeUndefined();
  });
});
