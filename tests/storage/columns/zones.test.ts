/** Scans that pass over blocks: they may show less, never something else, and always what is of interest. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { compareBytes } from '../../../src/base/bytes.ts';
import { ByteWriter } from '../../../src/base/index.ts';
import { BlockCache } from '../../../src/storage/cache/block-cache.ts';
import { columnValues } from '../../../src/storage/columns/column-codec.ts';
import type { TextBound, ZoneBound } from '../../../src/storage/contract/stored-block.ts';
import { scanNewest } from '../../../src/storage/cursor/read-sources.ts';
import type { CursorSource } from '../../../src/storage/cursor/source.ts';
import { Memtable } from '../../../src/storage/memtable/memtable.ts';
import { SsTable } from '../../../src/storage/table/ss-table.ts';
import { appendZones, ZoneMap, zoneKinds, zonesOfAll } from '../../../src/storage/table/zones.ts';
import { openTable, readerOf, writeTable } from '../files.ts';
import { Model, readAll, readInRuns, type Shown, type Version } from '../model.ts';
import { bodyOf, float, int, rowKey, text } from './bodies.ts';

const everything = { from: new Uint8Array(0), to: undefined };
const codecs = columnValues;

interface Written {
  readonly row: number;
  /** Undefined: NULL; `absent`: the row has no cell of the column. */
  readonly count: number | undefined | 'absent';
  readonly price: number | undefined;
  readonly note: string | undefined | 'absent';
  readonly isDeletion: boolean;
}

/** Some share more than zones keep, end where others go on, or have bytes of every kind. */
const anyText = fc
  .tuple(
    fc.constantFrom('', 'ab', 'ordering-2026-11-', 'x'.repeat(31), 'y'.repeat(60)),
    fc.constantFrom(
      '',
      '\u0000',
      '0',
      '07',
      '071',
      '9',
      'z',
      'é',
      '\uffff',
      '😀',
      'zzzzzzzzz',
      'zzzzzzzzzz',
    ),
  )
  .map(([start, end]) => start + end);

const anyWritten: fc.Arbitrary<Written> = fc.record({
  row: fc.nat(25),
  count: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -10, max: 300 }) },
    { weight: 1, arbitrary: fc.constantFrom(undefined, 'absent' as const) },
  ),
  price: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(-0, 0, 0.5, 1.5, 99.25, -3.5, 1e300) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  note: fc.oneof(
    { weight: 6, arbitrary: anyText },
    { weight: 1, arbitrary: fc.constantFrom(undefined, 'absent' as const) },
  ),
  isDeletion: fc.integer({ min: 0, max: 12 }).map((dice) => dice === 0),
});

const anyTextBound: fc.Arbitrary<ZoneBound> = fc
  .tuple(anyText, fc.option(anyText, { nil: undefined }), fc.boolean())
  .map(([a, b, isLeast]) => {
    const of = { kind: 'text', column: 3 } as const;
    if (b === undefined) {
      const end = text(a);
      return { ...of, least: isLeast ? end : undefined, greatest: isLeast ? undefined : end };
    }
    const [least, greatest] = [text(a), text(b)].sort(compareBytes) as [Uint8Array, Uint8Array];
    return { ...of, least, greatest };
  });

const anyBound: fc.Arbitrary<ZoneBound> = fc.oneof(
  anyTextBound,
  fc
    .tuple(fc.constantFrom('null' as const, 'value' as const), fc.constantFrom(1, 2, 3))
    .map(([kind, column]) => ({ kind, column })),
  fc
    .tuple(fc.integer({ min: -12, max: 310 }), fc.integer({ min: -12, max: 310 }))
    .map(([a, b]) => ({
      kind: 'number' as const,
      column: 1,
      isFloat: false,
      min: Math.min(a, b),
      max: Math.max(a, b),
    })),
  fc
    .tuple(fc.constantFrom(-4, 0, 1, 50), fc.constantFrom(-3.5, -0, 2, Infinity))
    .map(([min, max]) => ({ kind: 'number' as const, column: 2, isFloat: true, min, max })),
);

function versionOf(write: Written, sequence: number): Version {
  const { row, count, price, note, isDeletion } = write;
  const cells = [
    ...(count === 'absent' ? [] : [{ id: 1, bytes: count === undefined ? count : int(count) }]),
    { id: 2, bytes: price === undefined ? price : float(price) },
    ...(note === 'absent' ? [] : [{ id: 3, bytes: note === undefined ? note : text(note) }]),
  ];
  const value = isDeletion ? undefined : bodyOf(cells, false);
  return { key: rowKey(1, row), sequence, value };
}

describe('against the model', () => {
  const anyScan = fc.record({
    writes: fc.array(anyWritten, { minLength: 1, maxLength: 120 }),
    cuts: fc.array(fc.nat(120), { maxLength: 4 }),
    bounds: fc.array(anyBound, { minLength: 1, maxLength: 2 }),
    blockRowsMax: fc.constantFrom(1, 2, 4),
    isLate: fc.boolean(),
    hasMemtable: fc.boolean(),
    snapshot: fc.oneof(fc.nat(121), fc.constant(121)),
    range: fc.oneof(
      fc.constant(everything),
      fc.tuple(fc.nat(25), fc.nat(25)).map(([a, b]) => ({
        from: rowKey(1, Math.min(a, b)),
        to: rowKey(1, Math.max(a, b)),
      })),
    ),
  });

  test('what is within the bounds is shown, as it is now', async () => {
    let left = 0;
    await fc.assert(
      fc.asyncProperty(anyScan, async (scan) => {
        const { writes, cuts, bounds, blockRowsMax, isLate, hasMemtable, snapshot, range } = scan;
        const versions = writes.map((write, i) => versionOf(write, i + 1));
        const model = new Model();
        for (const version of versions) model.write(version);
        const values = new Map(
          writes.map((write, i) => [
            `${rowKey(1, write.row).toHex()} ${versions[i]?.value?.toHex()}`,
            write,
          ]),
        );
        const isWanted = ([key, body]: Shown) => {
          const row = values.get(`${key} ${body}`) as Written;
          return bounds.every((bound) => isWithin(row, bound));
        };
        const ends = [...cuts, versions.length].sort((a, b) => a - b);
        const parts = ends
          .map((end, i) => versions.slice(ends[i - 1] ?? 0, end))
          .filter((part) => part.length > 0);
        const sources = parts.map((part, i): CursorSource => {
          if (hasMemtable && i === parts.length - 1) return memtableOf(part);
          const name = `sst/0000000001-${i}`;
          return openTable(writeTable(part, { codecs, blockRowsMax }, name), { codecs, isLate });
        });
        sources.reverse();
        const all = model.scan(range, 'forward', snapshot);
        for (const direction of ['forward', 'backward'] as const) {
          const open = () => scanNewest(sources, range, direction, snapshot, bounds);
          const expected = direction === 'forward' ? all : all.toReversed();
          for (const shown of [await readAll(open()), await readInRuns(open(), 3)]) {
            expect(shown.filter(isWanted)).toEqual(expected.filter(isWanted));
            expect(expected.filter((entry) => shown.some(([key]) => key === entry[0]))).toEqual(
              shown,
            );
            left += expected.length - shown.length;
          }
        }
      }),
      { numRuns: 400 },
    );
    expect(left).toBeGreaterThan(200);
  });
});

function isWithin({ count, price, note }: Written, bound: ZoneBound): boolean {
  const value = [count, price, note][bound.column - 1];
  // A row without the column reads what the catalog says: the scan cannot know.
  if (value === 'absent') return true;
  if (bound.kind === 'null' || bound.kind === 'value') {
    return (value === undefined) === (bound.kind === 'null');
  }
  if (value === undefined) return false;
  if (bound.kind === 'number') return Number(value) >= bound.min && Number(value) <= bound.max;
  return bound.kind !== 'text' || isTextWithin(text(value as string), bound);
}

function isTextWithin(bytes: Uint8Array, { least, greatest }: TextBound): boolean {
  return (
    (least === undefined || compareBytes(bytes, least) >= 0) &&
    (greatest === undefined || compareBytes(bytes, greatest) <= 0)
  );
}

function memtableOf(writes: readonly Version[]): Memtable {
  const memtable = new Memtable();
  for (const { key, value, sequence } of writes) {
    if (value === undefined) memtable.delete(key, sequence);
    else memtable.put(key, value, sequence);
  }
  memtable.freeze();
  return memtable;
}

test('a scan reads no block that it passes over, and stops at the end of its range', async () => {
  const versions = Array.from({ length: 2000 }, (_, row) => ({
    key: rowKey(1, row),
    sequence: 1,
    value: bodyOf([{ id: 1, bytes: int(row) }], true),
  }));
  const file = writeTable(versions, { codecs, blockRowsMax: 10 });
  const table = openTable(file, { codecs, scansFillCache: true });
  const shown = async (min: number, max: number, range: Parameters<typeof table.scan>[0]) => {
    const bounds = [{ kind: 'number' as const, column: 1, isFloat: false, min, max }];
    return (await readAll(table.scan(range, 'forward', 9, bounds))).length;
  };
  expect(await shown(995, 1004, everything)).toBe(20);
  expect(await shown(5000, 6000, everything)).toBe(0);
  expect(await shown(0, 3, { from: rowKey(1, 100), to: rowKey(1, 200) })).toBe(0);
  expect(await shown(150, 155, { from: rowKey(1, 100), to: rowKey(1, 200) })).toBe(10);
});

describe('a scan passes over blocks by what they hold:', () => {
  const noteAt = (row: number) => `order-2026-${String(row).padStart(8, '0')}`;
  const versions = Array.from({ length: 2000 }, (_, row) => ({
    key: rowKey(1, row),
    sequence: 1,
    value: bodyOf(
      [
        { id: 1, bytes: row < 20 ? undefined : int(row) },
        { id: 3, bytes: row >= 1990 ? undefined : text(noteAt(row)) },
      ],
      true,
    ),
  }));
  const file = writeTable(versions, { codecs, blockRowsMax: 10 });
  const rowsOf = async (bounds: readonly ZoneBound[], bytes = file) =>
    (await readAll(openTable(bytes, { codecs }).scan(everything, 'forward', 9, bounds))).length;
  const notes = (least: string | undefined, greatest: string | undefined): ZoneBound => ({
    kind: 'text',
    column: 3,
    least: least === undefined ? least : text(least),
    greatest: greatest === undefined ? greatest : text(greatest),
  });

  test('texts that start alike for longer than their bounds are long', async () => {
    expect(await rowsOf([notes(noteAt(995), noteAt(1004))])).toBe(20);
    expect(await rowsOf([notes(noteAt(1985), undefined)])).toBe(10);
    expect(await rowsOf([notes(undefined, noteAt(3))])).toBe(10);
    expect(await rowsOf([notes('order-2027', undefined)])).toBe(0);
    expect(await rowsOf([notes(undefined, 'order-2026-')])).toBe(0);
    expect(await rowsOf([notes('order', 'order-3')])).toBe(1990);
    expect(await rowsOf([notes(undefined, undefined)])).toBe(2000);
  });

  test('NULL, and anything else', async () => {
    expect(await rowsOf([{ kind: 'null', column: 1 }])).toBe(20);
    expect(await rowsOf([{ kind: 'value', column: 1 }])).toBe(1980);
    expect(await rowsOf([{ kind: 'null', column: 3 }])).toBe(10);
    expect(await rowsOf([{ kind: 'null', column: 9 }])).toBe(2000);
  });

  test('without reading the index of blocks that hold nothing of interest', async () => {
    const { entry } = file;
    const read: number[] = [];
    const reader = readerOf(entry.name, file.bytes);
    const counting = {
      ...reader,
      readInto: (offset: number, target: Uint8Array) => {
        read.push(offset);
        return reader.readInto(offset, target);
      },
    };
    const reads = async (bounds: readonly ZoneBound[]) => {
      read.length = 0;
      const table = new SsTable(counting, entry, { cache: new BlockCache(1 << 20), codecs });
      await readAll(table.scan(everything, 'forward', 9, bounds));
      return read.length;
    };
    // Footer and top index; then one partition of 64 blocks, and a block.
    expect(await reads([notes('p', undefined)])).toBe(2);
    expect(await reads([{ kind: 'number', column: 1, isFloat: false, min: 5000, max: 6000 }])).toBe(
      2,
    );
    expect(await reads([notes(noteAt(995), noteAt(997))])).toBe(4);
  });
});

test('blocks of integers and of other values have no bounds as numbers together', () => {
  const none = { hasNull: false, min: 0, max: 0 };
  const ints = { ...none, column: 1, kind: zoneKinds.ints, min: 3, max: 9 };
  const others = { ...none, column: 1, kind: zoneKinds.none };
  const empty = { ...none, column: 1, kind: zoneKinds.empty, hasNull: true };
  expect(zonesOfAll([[ints], [others]])).toMatchObject([{ column: 1, kind: zoneKinds.none }]);
  expect(zonesOfAll([[empty], [ints], [{ ...ints, min: 5, max: 11 }]])).toMatchObject([
    { kind: zoneKinds.ints, min: 3, max: 11, hasNull: true },
  ]);
  expect(zonesOfAll([[ints], []])).toEqual([]);
});

describe('a table that an earlier program wrote', () => {
  test('has no zones of texts and partitions, and all of it is read', () => {
    const zone = { column: 1, kind: zoneKinds.ints, min: 5, max: 9 };
    const out = new ByteWriter(64);
    out.u16(1);
    out.u32(zone.column);
    out.u8(zone.kind);
    out.f64(zone.min);
    out.f64(zone.max);
    out.u32(out.length);
    const zones = new ZoneMap(out.take(), 1);
    const number = { kind: 'number' as const, column: 1, isFloat: false };
    expect(zones.excludes(0, [{ ...number, min: 10, max: Infinity }])).toBe(true);
    expect(zones.excludes(0, [{ ...number, min: 9, max: Infinity }])).toBe(false);
    expect(zones.excludes(0, [{ kind: 'null', column: 1 }])).toBe(false);
    expect(zones.isPlain(0)).toBe(false);
    expect(
      zones.excludes(0, [{ kind: 'text', column: 1, least: text('z'), greatest: undefined }]),
    ).toBe(false);
  });

  test('reads the part of the zones that it knows', () => {
    const out = new ByteWriter(64);
    const texts = { least: text('a'), greatest: text('b') };
    const none = { kind: zoneKinds.none, min: 0, max: 0, hasNull: false };
    appendZones(
      [
        {
          zones: [
            { column: 7, kind: zoneKinds.floats, min: 1, max: 2, hasNull: true },
            { ...none, column: 8, texts },
          ],
          isPlain: true,
        },
      ],
      out,
    );
    const bytes = out.take();
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    expect([view.getUint16(0, true), view.getUint32(2, true), view.getUint8(6)]).toEqual([1, 7, 2]);
    expect([view.getFloat64(7, true), view.getFloat64(15, true)]).toEqual([1, 2]);
    expect(view.getUint32(bytes.length - 4, true)).toBe(bytes.length - 4);
  });
});
