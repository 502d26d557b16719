/** Marks and undo of a write batch against copies of a sorted map, and scans that go on across an undo. */

import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { BatchCursor } from '../../../src/storage/batch/batch-cursor.ts';
import {
  decodeCommit,
  RecordWriter,
  recordBytesMax,
} from '../../../src/storage/batch/commit-record.ts';
import { WriteBatch } from '../../../src/storage/batch/write-batch.ts';
import type { KeyRange } from '../../../src/storage/contract/store.ts';
import { anyDirection, anyRange, anyValue, isWithin } from '../model.ts';
import { inOneGo } from '../transaction/support.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const everything: KeyRange = { from: new Uint8Array(), to: undefined };

type Op =
  | { readonly kind: 'write'; readonly key: Uint8Array; readonly value: Uint8Array | undefined }
  | { readonly kind: 'own'; readonly keys: readonly Uint8Array[] }
  | { readonly kind: 'drop'; readonly range: KeyRange }
  | { readonly kind: 'mark' }
  | { readonly kind: 'undo' | 'forget'; readonly mark: number };

/** Few enough to meet again, and enough for chunks to split and to empty. */
const anyNumbered = fc.nat(400).map((n) => Uint8Array.of(n >> 8, n & 0xff));

const anyOp: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      key: anyNumbered,
      value: fc.option(anyValue, { nil: undefined, freq: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('own' as const),
      keys: fc.uniqueArray(anyNumbered, { selector: hex, maxLength: 60 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), range: anyRange }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('mark' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('undo' as const, 'undo' as const, 'forget' as const),
      mark: fc.nat(),
    }),
  },
);

interface Held {
  readonly writes: ReadonlyMap<string, string | undefined>;
  readonly dropped: readonly string[];
}

/** The batch, and beside it what it has to hold: copies of a map. */
class Pair {
  batch = new WriteBatch();
  writes = new Map<string, string | undefined>();
  dropped: string[] = [];
  readonly marks: Held[] = [];

  apply(op: Op): void {
    if (op.kind === 'write') this.write(op.key, op.value);
    else if (op.kind === 'own') this.own(op.keys);
    else if (op.kind === 'drop') {
      this.batch.dropRange(op.range);
      this.dropped.push(shown(op.range));
    } else if (op.kind === 'mark') {
      expect(this.batch.mark()).toBe(this.marks.length);
      this.marks.push({ writes: new Map(this.writes), dropped: [...this.dropped] });
    } else if (this.marks.length > 0) this.goBack(op.kind, op.mark % this.marks.length);
  }

  goBack(kind: 'undo' | 'forget', mark: number): void {
    if (kind === 'forget') {
      this.batch.forget(mark);
      this.marks.length = mark;
      return;
    }
    inOneGo((stretch) => this.batch.undo(mark, stretch));
    const held = this.marks[mark] as Held;
    this.writes = new Map(held.writes);
    this.dropped = [...held.dropped];
    this.marks.length = mark + 1;
  }

  private write(key: Uint8Array, value: Uint8Array | undefined): void {
    if (value === undefined) this.batch.delete(key);
    else this.batch.put(key, value);
    this.writes.set(hex(key), value && hex(value));
  }

  /** In memory that is handed over, each value the key once more; every third key is deleted. */
  private own(keys: readonly Uint8Array[]): void {
    const owned = this.batch.own(Buffer.concat(keys.flatMap((key) => [key, key])));
    for (const [i, key] of keys.entries()) {
      const isDeleted = i % 3 === 2;
      if (isDeleted) this.batch.deleteOwned(owned, i * 4, i * 4 + 2);
      else this.batch.putOwned(owned, i * 4, i * 4 + 2, i * 4 + 4);
      this.writes.set(hex(key), isDeleted ? undefined : hex(key));
    }
  }

  get ordered(): [string, string | undefined][] {
    return [...this.writes].sort(([left], [right]) => (left < right ? -1 : 1));
  }
}

function shown({ from, to }: KeyRange): string {
  return `${hex(from)}-${to === undefined ? '' : hex(to)}`;
}

function walk(batch: WriteBatch, direction: 'forward' | 'backward'): string[] {
  const keys: string[] = [];
  const cursor = new BatchCursor(batch, everything, direction);
  for (let write = cursor.current; write !== undefined; write = cursor.current) {
    keys.push(hex(write.bytes.subarray(write.keyFrom, write.keyTo)));
    cursor.advance();
  }
  return keys;
}

function recordOf(batch: WriteBatch): [[string, string | undefined][], string[]] {
  const writes: [string, string | undefined][] = [];
  const record = Buffer.concat(inOneGo((stretch) => new RecordWriter().encode(batch, stretch)));
  expect(record.length).toBeLessThanOrEqual(recordBytesMax(batch));
  const dropped = decodeCommit(
    record,
    ({ key, keyFrom, keyTo, value, valueFrom, valueTo, isTombstone }) => {
      const text = isTombstone ? undefined : hex(value.subarray(valueFrom, valueTo));
      writes.push([hex(key.subarray(keyFrom, keyTo)), text]);
    },
  );
  return [writes, dropped.map(shown)];
}

test('after any marks and undos it holds what a copy of a map would', () => {
  fc.assert(
    fc.property(fc.array(anyOp, { maxLength: 400, size: 'max' }), (ops) => {
      const pair = new Pair();
      for (const op of ops) {
        pair.apply(op);
        if (op.kind === 'undo')
          expect(walk(pair.batch, 'forward')).toEqual(pair.ordered.map(([key]) => key));
      }
      const { batch, ordered } = pair;
      expect(recordOf(batch)).toEqual([ordered, pair.dropped]);
      const keys = ordered.map(([key]) => key);
      expect(walk(batch, 'forward')).toEqual(keys);
      expect(walk(batch, 'backward')).toEqual(keys.reverse());
      expect(batch.count).toBe(keys.length);
      expect(batch.isEmpty).toBe(keys.length === 0 && pair.dropped.length === 0);
      expect(batch.chunks.every(({ count }) => count > 0)).toBe(true);
      const found = ordered.map(([key]) => batch.find(Buffer.from(key, 'hex'))?.isTombstone);
      expect(found).toEqual(ordered.map(([, value]) => value === undefined));
    }),
    { numRuns: 80 },
  );
});

test('a scan goes on across undos: in order, within its range, with all that stands all along', () => {
  const anySteps = fc.array(fc.tuple(fc.nat(12), anyOp), { maxLength: 40 });
  const anyStart = fc.array(anyOp, { maxLength: 120, size: 'max' });
  fc.assert(
    fc.property(anyStart, anySteps, anyRange, anyDirection, (start, later, range, direction) => {
      const pair = new Pair();
      for (const op of start) pair.apply(op);
      const cursor = new BatchCursor(pair.batch, range, direction);
      let lasting = new Set(
        [...pair.writes.keys()].filter((key) => isWithin(range, Buffer.from(key, 'hex'))),
      );
      const met: string[] = [];
      for (let step = 0; cursor.current !== undefined; step++) {
        const { bytes, keyFrom, keyTo } = cursor.current;
        met.push(hex(bytes.subarray(keyFrom, keyTo)));
        for (const [, op] of later.filter(([when]) => when === step)) {
          pair.apply(op);
          lasting = new Set([...lasting].filter((key) => pair.writes.has(key)));
        }
        cursor.advance();
      }
      const ordered = [...new Set(met)].sort();
      expect(met).toEqual(direction === 'forward' ? ordered : ordered.reverse());
      expect(met).toEqual(expect.arrayContaining([...lasting]));
      for (const key of met) expect(isWithin(range, Buffer.from(key, 'hex'))).toBe(true);
    }),
    { numRuns: 250 },
  );
});

test('what an undo gives back is not held on to, however often', () => {
  const batch = new WriteBatch();
  batch.put(Uint8Array.of(1), new Uint8Array(100));
  const mark = batch.mark();
  const before = batch.heldBytes;
  for (let round = 0; round < 8; round++) {
    batch.own(new Uint8Array(1 << 20));
    for (let i = 0; i < 100; i++) batch.put(Uint8Array.of(2, i), new Uint8Array(40_000));
    expect(batch.heldBytes).toBeGreaterThan(before + 4_000_000);
    inOneGo((stretch) => batch.undo(mark, stretch));
  }
  expect(batch.heldBytes - before).toBeLessThan(100_000);
  expect(batch.isSmall).toBe(true);
});

test('a value that was handed out stays what it was after an undo and other writes', () => {
  const batch = new WriteBatch();
  batch.mark();
  batch.put(Uint8Array.of(1), Uint8Array.of(7, 7, 7));
  const { bytes, keyTo, valueTo } = {
    ...(batch.find(Uint8Array.of(1)) as NonNullable<ReturnType<WriteBatch['find']>>),
  };
  inOneGo((stretch) => batch.undo(0, stretch));
  for (let i = 0; i < 1000; i++) batch.put(Uint8Array.of(i >> 8, i & 0xff), Uint8Array.of(9, 9, 9));
  expect([...bytes.subarray(keyTo, valueTo)]).toEqual([7, 7, 7]);
});

test('without a mark nothing is kept for an undo, and a mark that does not live is refused', () => {
  const batch = new WriteBatch();
  for (let i = 0; i < 1000; i++) batch.put(Uint8Array.of(1), Uint8Array.of(i & 0xff));
  const unmarked = batch.heldBytes;
  const mark = batch.mark();
  for (let i = 0; i < 1000; i++) batch.put(Uint8Array.of(1), Uint8Array.of(i & 0xff));
  expect(batch.heldBytes).toBeGreaterThan(unmarked + 16_000);
  batch.forget(mark);
  expect(batch.heldBytes).toBeLessThan(unmarked + 5_000);
  const undo = (to: number) => inOneGo((stretch) => batch.undo(to, stretch));
  expect(() => undo(0)).toThrow('a mark is used while it lives');
  batch.mark();
  batch.mark();
  undo(0);
  expect(() => undo(1)).toThrow('a mark is used while it lives');
  expect(() => batch.forget(1)).toThrow('a mark is used while it lives');
});
