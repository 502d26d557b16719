/** What is held, by shape: made in steps, each of which returns what the account says of all that is held by then. */

import { encodeUtf8 } from '#base';
import { ByteString, type Datum, type DatumType, type Row } from '#value';
import type { Batch } from '../../src/executor/batch/batch.ts';
import { rowBytes } from '../../src/executor/batch/datum-bytes.ts';
import { KeyTable } from '../../src/executor/batch/key-table.ts';
import { byteListBytes, slotBytes } from '../../src/executor/batch/memory-costs.ts';
import { RowStore, rowAt } from '../../src/executor/batch/row-store.ts';
import { batchRowsMax, denseSelection, type Vector } from '../../src/executor/batch/vector.ts';
import { readText } from '../../src/layout/cell-code.ts';
import { WriteBatch } from '../../src/storage/batch/write-batch.ts';
import { ReadSet } from '../../src/storage/transaction/read-set.ts';

export interface Held {
  /** Makes more; the account of all so far. */
  step(): number;
}

export interface Shape {
  readonly name: string;
  readonly start: () => Held;
}

interface Column {
  readonly type: DatumType;
  readonly value: (i: number) => Datum;
}

const int: Column = { type: { kind: 'int64' }, value: (i) => i };
const bigInt: Column = { type: { kind: 'int64' }, value: (i) => 2n ** 60n + BigInt(i) };
const float: Column = { type: { kind: 'float64' }, value: (i) => i + 0.5 };
const bool: Column = { type: { kind: 'bool' }, value: (i) => i % 2 === 0 };
const missing: Column = { type: { kind: 'text' }, value: () => null };

/** Texts as they come from the store: read from bytes, each a string of its own. */
function text(length: number, letter = 'x'): Column {
  const isAscii = letter === 'x';
  const rest = encodeUtf8(letter.repeat(Math.max(0, length - 9)));
  const bytes = new Uint8Array(9 + rest.length);
  bytes.set(rest, 9);
  return {
    type: { kind: 'text' },
    value: (i) => {
      for (let at = 8, n = i; at >= 0; at--, n = Math.floor(n / 10)) bytes[at] = 48 + (n % 10);
      return readText(bytes, length < 9 ? 9 - length : 0, bytes.length, isAscii);
    },
  };
}

function byteString(length: number): Column {
  return {
    type: { kind: 'bytes' },
    value: (i) => {
      const bytes = new Uint8Array(length);
      new DataView(bytes.buffer).setUint32(0, i);
      return new ByteString(bytes.slice());
    },
  };
}

const columns = {
  int,
  bigint: bigInt,
  float,
  bool,
  null: missing,
  'text 3': text(3),
  'text 9': text(9),
  'text 20': text(20),
  'text 32': text(32),
  'text 200': text(200),
  'text 1000': text(1000),
  'text 20000': text(20_000),
  'utf16 20': text(20, 'ж'),
  'utf16 200': text(200, 'ж'),
  'bytes 16': byteString(16),
  'bytes 200': byteString(200),
} satisfies Readonly<Record<string, Column>>;

const item = [int, int, int, float, columns['text 20'], columns['text 200']];

/** New batches of rows of these columns. */
class Source {
  private made = 0;
  private readonly columns: readonly Column[];

  constructor(of: readonly Column[]) {
    this.columns = of;
  }

  next(): Batch {
    const from = this.made;
    this.made += batchRowsMax;
    const vectors = this.columns.map(({ value }) => {
      const vector: Vector = [];
      for (let i = 0; i < batchRowsMax; i++) vector.push(value(from + i));
      return vector;
    });
    return { columns: vectors, selection: denseSelection, count: batchRowsMax };
  }
}

const typesOf = (of: readonly Column[]) => of.map(({ type }) => type);

/** Columns in memory: joins, bindings, kept results, sorts. */
function stored(of: readonly Column[]): () => Held {
  return () => {
    const source = new Source(of);
    const store = new RowStore(typesOf(of));
    return {
      step: () => {
        store.append(source.next());
        return store.bytes;
      },
    };
  };
}

/** Row by row: results, and arrays of crossings. */
function rows(of: readonly Column[]): () => Held {
  return () => {
    const source = new Source(of);
    const held: Row[] = [];
    let bytes = 0;
    return {
      step: () => {
        const batch = source.next();
        for (let i = 0; i < batch.count; i++) {
          const row = rowAt(batch.columns, i);
          held.push(row);
          bytes += 8 + rowBytes(row);
        }
        return bytes;
      },
    };
  };
}

/** Arrays of ten rows each, in a column. */
function arrays(of: readonly Column[]): () => Held {
  return () => {
    const source = new Source(of);
    const store = new RowStore([{ kind: 'array', row: [] } as unknown as DatumType]);
    return {
      step: () => {
        const batch = source.next();
        const values: Vector = [];
        for (let from = 0; from + 10 <= batch.count; from += 10) {
          const array: Row[] = [];
          for (let i = from; i < from + 10; i++) array.push(rowAt(batch.columns, i));
          values.push(array);
        }
        store.append({ columns: [values], selection: denseSelection, count: values.length });
        return store.bytes;
      },
    };
  };
}

/** What a mutation keeps of keys, writes and reads. */
function keyBytes(i: number): Uint8Array {
  const key = new Uint8Array(24);
  new DataView(key.buffer).setUint32(4, Math.imul(i, 0x9e3779b1));
  return key;
}

/** Made by numbers, in portions of a batch. */
function numbered(add: (i: number) => number): Held {
  let made = 0;
  return {
    step: () => {
      let account = 0;
      for (let i = 0; i < batchRowsMax; i++) account = add(made++);
      return account;
    },
  };
}

function keyLists(): Held {
  const held: Uint8Array[] = [];
  let bytes = 0;
  return numbered((i) => {
    held.push(keyBytes(i).slice(0, 12));
    bytes += slotBytes + byteListBytes(12);
    return bytes;
  });
}

function writes(valueBytes: number): Held {
  const batch = new WriteBatch();
  const value = new Uint8Array(valueBytes);
  return numbered((i) => {
    batch.put(keyBytes(i), value);
    return batch.heldBytes;
  });
}

function reads(): Held {
  const many: ReadSet[] = [];
  let bytes = 0;
  return numbered((i) => {
    // One set holds a few thousand at most.
    if (i % 10_000 === 0) many.push(new ReadSet());
    const set = many.at(-1) as ReadSet;
    const before = set.bytes;
    set.addPoint(keyBytes(i));
    bytes += set.bytes - before;
    return bytes;
  });
}

/** Keys of groups, distinct rows and joins. */
function keys(of: readonly Column[]): () => Held {
  return () => {
    const source = new Source(of);
    const table = new KeyTable(typesOf(of), true);
    const numbers = new Int32Array(batchRowsMax);
    return {
      step: () => {
        const batch = source.next();
        table.insert(batch.columns, batch.selection, batch.count, numbers);
        return table.bytes;
      },
    };
  };
}

export const shapes: readonly Shape[] = [
  ...Object.entries(columns).map(([name, column]) => ({
    name: `column ${name}`,
    start: stored([column]),
  })),
  { name: 'column item', start: stored(item) },
  ...Object.entries(columns).map(([name, column]) => ({
    name: `row ${name}`,
    start: rows([column]),
  })),
  { name: 'row of 2 ints', start: rows([int, int]) },
  { name: 'row of 3 ints', start: rows([int, int, int]) },
  { name: 'row of 6 ints', start: rows([int, int, int, int, int, int]) },
  { name: 'row of 3 floats', start: rows([float, float, float]) },
  { name: 'row item', start: rows(item) },
  { name: 'array int', start: arrays([int]) },
  { name: 'array item', start: arrays(item) },
  { name: 'keys int', start: keys([int]) },
  { name: 'keys float', start: keys([float]) },
  { name: 'keys bigint', start: keys([bigInt]) },
  { name: 'keys text 9', start: keys([columns['text 9']]) },
  { name: 'keys text 200', start: keys([columns['text 200']]) },
  { name: 'keys utf16 200', start: keys([columns['utf16 200']]) },
  { name: 'keys bytes 16', start: keys([columns['bytes 16']]) },
  { name: 'keys int, int', start: keys([int, int]) },
  { name: 'keys int, text 20', start: keys([int, columns['text 20']]) },
  { name: 'keys of rows', start: keyLists },
  { name: 'writes without value', start: () => writes(0) },
  { name: 'writes of 300', start: () => writes(300) },
  { name: 'points read', start: reads },
];
