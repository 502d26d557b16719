import { describe, expect, test } from 'bun:test';
import { encodings } from '../../../src/storage/table/block-format.ts';
import { opaqueValues } from '../../../src/storage/table/opaque-codec.ts';
import type { ValueCodec, ValueCodecs } from '../../../src/storage/table/value-codec.ts';
import { openTable, writeTable } from '../files.ts';
import { Model, readAll } from '../model.ts';

const everything = { from: new Uint8Array(0), to: undefined };
const versions = Array.from({ length: 90 }, (_, i) => ({
  key: Uint8Array.of(0x60 + Math.floor(i / 30), i % 30),
  value: i % 7 === 0 ? undefined : Uint8Array.of(i, i + 1, i + 2),
  sequence: i + 1,
}));

test('bodies of one block that are longer than 64 KiB together', async () => {
  const model = new Model();
  const large = Array.from({ length: 5 }, (_, i) => ({
    key: Uint8Array.of(i),
    value: new Uint8Array(30_000 + i).fill(i),
    sequence: i + 1,
  }));
  for (const version of large) model.write(version);
  const table = openTable(writeTable(large, { blockBytes: 1 << 20 }));
  expect(await readAll(table.scan(everything, 'forward', 9))).toEqual(
    model.scan(everything, 'forward', 9),
  );
});

/** Keeps bodies with all bits inverted, and puts them together in a buffer of its own. */
const inverting: ValueCodec = {
  layout: 77,
  split({ bytes, ends, count }, writer) {
    writer.openDirectory(1);
    const body = bytes.slice(0, ends[count - 1]).map((byte) => ~byte);
    const auxiliaryAt = writer.ends(ends, count, true);
    const dataAt = writer.section(body, 0, body.length);
    writer.entry(0, { column: 1, encoding: encodings.wideEnds, dataAt, auxiliaryAt });
    return 77;
  },
  open(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const dataAt = view.getUint32(72, true);
    const endsAt = view.getUint32(76, true);
    const end = (slot: number) => (slot < 0 ? 0 : view.getUint32(endsAt + 4 * slot, true));
    return {
      join(slot, target) {
        target.value = bytes.slice(dataAt + end(slot - 1), dataAt + end(slot)).map((byte) => ~byte);
        target.valueFrom = 0;
        target.valueTo = target.value.length;
      },
    };
  },
};

/** `inverting` for keys that begin with 0x61. */
const codecs: ValueCodecs = {
  forKey(key) {
    const first = key[0] as number;
    if (first < 0x61) return { ...opaqueValues.forKey(key), to: Uint8Array.of(0x61) };
    return first === 0x61
      ? { codec: inverting, to: Uint8Array.of(0x62) }
      : opaqueValues.forKey(key);
  },
  forLayout: (layout) => (layout === 77 ? inverting : opaqueValues.forLayout(layout)),
};

describe('codecs by key', () => {
  const file = writeTable(versions, { codecs });

  test('each block has one, and values come back whichever it is', async () => {
    const model = new Model();
    for (const version of versions) model.write(version);
    const table = openTable(file, { codecs });
    for (const direction of ['forward', 'backward'] as const) {
      expect(await readAll(table.scan(everything, direction, 99))).toEqual(
        model.scan(everything, direction, 99),
      );
    }
  });

  test('a layout that nobody knows is a failure that names the block', () => {
    const cursor = openTable(file).scan(everything, 'forward', 99);
    for (let i = 0; i < 30; i++) expect(cursor.next()).toBe(true);
    expect(() => cursor.next()).toThrow('block 1: its format is not supported');
  });
});
