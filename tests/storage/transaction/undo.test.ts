/** Marks and undo of a transaction: what is written goes, what was read stays read. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { systemWorld } from '#base';
import type { Direction, KeyRange, Store, Transaction } from '#storage';
import {
  anyDirection,
  anyKey,
  anyRange,
  anyValue,
  isWithin,
  readAll,
  type Shown,
} from '../model.ts';
import { bytes, memoryStore, range, read, take, write } from './support.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

type Op =
  | { readonly kind: 'write'; readonly key: Uint8Array; readonly value: Uint8Array | undefined }
  | { readonly kind: 'get'; readonly key: Uint8Array }
  | {
      readonly kind: 'scan';
      readonly range: KeyRange;
      readonly direction: Direction;
      readonly stops: number | undefined;
    }
  | { readonly kind: 'mark' }
  | { readonly kind: 'undo' | 'forget'; readonly mark: number };

const anyOp: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      key: anyKey,
      value: fc.option(anyValue, { nil: undefined, freq: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('get' as const), key: anyKey }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('scan' as const),
      range: anyRange,
      direction: anyDirection,
      stops: fc.option(fc.nat(3), { nil: undefined }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('mark' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('undo' as const, 'undo' as const, 'forget' as const),
      mark: fc.nat(),
    }),
  },
);

type Values = ReadonlyMap<string, string | undefined>;

/** A transaction, and the naive form of it: maps that are copied at each mark, and every key that its answers rest on. */
class Pair {
  readonly transaction: Transaction;
  own: Values = new Map();
  readonly marks: Values[] = [];
  /** Whether a change of the key by others would have changed an answer. */
  readonly lookedAt: ((key: Uint8Array) => boolean)[] = [];
  private readonly base: Values;

  constructor(transaction: Transaction, base: Values) {
    this.transaction = transaction;
    this.base = base;
  }

  async apply(op: Op): Promise<void> {
    const { transaction } = this;
    if (op.kind === 'write') {
      const { key, value } = op;
      if (value === undefined) transaction.delete(key);
      else transaction.put(key, value);
      this.own = new Map(this.own).set(hex(key), value && hex(value));
    } else if (op.kind === 'get') await this.get(op.key);
    else if (op.kind === 'scan') await this.scan(op);
    else if (op.kind === 'mark') {
      expect(transaction.mark()).toBe(this.marks.length);
      this.marks.push(this.own);
    } else if (this.marks.length > 0) await this.goBack(op.kind, op.mark % this.marks.length);
  }

  private async goBack(kind: 'undo' | 'forget', mark: number): Promise<void> {
    if (kind === 'forget') {
      this.transaction.forget(mark);
      this.marks.length = mark;
      return;
    }
    await this.transaction.undo(mark);
    this.own = this.marks[mark] as Values;
    this.marks.length = mark + 1;
  }

  private async get(key: Uint8Array): Promise<void> {
    const name = hex(key);
    const found = await this.transaction.get(key);
    const value = this.own.has(name) ? this.own.get(name) : this.base.get(name);
    expect(found && hex(found)).toBe(value as string);
    if (!this.own.has(name)) this.lookedAt.push((other) => hex(other) === name);
  }

  private async scan({ range, direction, stops }: Extract<Op, { kind: 'scan' }>): Promise<void> {
    const cursor = this.transaction.scan(range, direction);
    const shown = stops === undefined ? await readAll(cursor) : await taken(cursor, stops);
    // Left open: an undo ends it.
    const all = this.shown(range, direction);
    expect(shown).toEqual(all.slice(0, stops));
    const isWhole = stops === undefined || stops > all.length;
    const last = shown.at(-1)?.[0];
    this.lookedAt.push((key) => {
      if (!isWithin(range, key) || (!isWhole && last === undefined)) return false;
      if (isWhole) return true;
      return direction === 'forward' ? hex(key) <= (last as string) : hex(key) >= (last as string);
    });
  }

  shown(range: KeyRange, direction: Direction): Shown[] {
    const entries = [...new Map([...this.base, ...this.own])]
      .filter((entry): entry is [string, string] => entry[1] !== undefined)
      .filter(([key]) => isWithin(range, Buffer.from(key, 'hex')))
      .sort(([left], [right]) => (left < right ? -1 : 1));
    return direction === 'forward' ? entries : entries.reverse();
  }
}

async function taken(cursor: ReturnType<Transaction['scan']>, count: number): Promise<Shown[]> {
  const shown: Shown[] = [];
  while (shown.length < count) {
    const next = cursor.next();
    if (next instanceof Promise) await next;
    else if (!next) break;
    else {
      const { key, keyFrom, keyTo, value, valueFrom, valueTo } = cursor;
      shown.push([hex(key.subarray(keyFrom, keyTo)), hex(value.subarray(valueFrom, valueTo))]);
    }
  }
  return shown;
}

const everything: KeyRange = { from: new Uint8Array(), to: undefined };

async function storeOf(stored: readonly (readonly [Uint8Array, Uint8Array])[]): Promise<Store> {
  const store = await memoryStore();
  const transaction = store.begin();
  for (const [key, value] of stored) transaction.put(key, value);
  await transaction.commit();
  transaction.release();
  return store;
}

test('reads, scans and the commit are those of copied maps, and it loses to what it has read only', async () => {
  const anyStored = fc.array(fc.tuple(anyKey, anyValue), { maxLength: 12 });
  const anyRun = fc.tuple(anyStored, fc.array(anyOp, { maxLength: 50, size: 'max' }), anyKey);
  const kinds = { committed: 0, conflict: 0 };
  await fc.assert(
    fc.asyncProperty(anyRun, async ([stored, ops, changed]) => {
      const store = await storeOf(stored);
      const base = new Map(stored.map(([key, value]) => [hex(key), hex(value)]));
      const pair = new Pair(store.begin(), base);
      for (const op of ops) await pair.apply(op);
      // Somebody else writes one key: a conflict if an answer rests on it, before an undo or after it.
      const other = store.begin();
      other.put(changed, bytes('other'));
      await other.commit();
      other.release();
      const isLost = pair.own.size > 0 && pair.lookedAt.some((has) => has(changed));
      const { kind } = await pair.transaction.commit();
      expect(kind).toBe(isLost ? 'conflict' : 'committed');
      kinds[kind as keyof typeof kinds]++;
      pair.transaction.release();
      const snapshot = store.snapshot();
      const found = await readAll(snapshot.scan(everything, 'forward'));
      const written = isLost ? new Map() : pair.own;
      const expected = new Pair(
        store.begin(),
        new Map(base).set(hex(changed), hex(bytes('other'))),
      );
      expected.own = written;
      expect(found).toEqual(expected.shown(everything, 'forward'));
      snapshot.release();
      await store.close();
    }),
    { numRuns: 300 },
  );
  expect(kinds.committed).toBeGreaterThan(20);
  expect(kinds.conflict).toBeGreaterThan(20);
});

describe('undo', () => {
  test('a transaction whose writes are all undone commits at once, whatever it has read', async () => {
    const store = await memoryStore();
    await write(store, { a: '1' });
    const transaction = store.begin();
    const mark = transaction.mark();
    await read(transaction, 'a');
    transaction.put(bytes('b'), bytes('2'));
    transaction.dropRange(range('x', 'y'));
    await transaction.undo(mark);
    await write(store, { a: '2' });
    expect(transaction.isEmpty).toBe(true);
    expect((await transaction.commit()).kind).toBe('committed');
    expect(await take(store.snapshot().scan(range(''), 'forward'))).toEqual(['a=2']);
    transaction.release();
  });

  test('a range that was dropped after the mark keeps what it holds', async () => {
    const store = await memoryStore();
    await write(store, { a1: '1', b1: '1', c1: '1' });
    const transaction = store.begin();
    transaction.dropRange(range('a', 'b'));
    const mark = transaction.mark();
    transaction.dropRange(range('b', 'c'));
    await transaction.undo(mark);
    transaction.dropRange(range('c', 'd'));
    expect((await transaction.commit()).kind).toBe('committed');
    transaction.release();
    await write(store, { b2: '2' });
    expect(await take(store.snapshot().scan(range('b', 'c'), 'forward'))).toEqual(['b1=1', 'b2=2']);
  });

  test('a scan that is open ends, and what it has looked at stays read', async () => {
    const store = await memoryStore();
    await write(store, { a: '1', b: '2', c: '3' });
    const begin = async () => {
      const transaction = store.begin();
      transaction.put(bytes('z'), bytes('1'));
      const mark = transaction.mark();
      const cursor = transaction.scan(range('a'), 'forward');
      expect(await take(cursor, 2)).toEqual(['a=1', 'b=2']);
      await transaction.undo(mark);
      expect(cursor.next()).toBe(false);
      return transaction;
    };
    const behind = await begin();
    await write(store, { c: 'new' });
    expect((await behind.commit()).kind).toBe('committed');
    const within = await begin();
    await write(store, { aa: 'new' });
    expect((await within.commit()).kind).toBe('conflict');
  });
});

describe('an undo of very many writes', () => {
  const key = (i: number) => bytes(`k${String(i * 7919).padStart(8, '0')}`);

  /** A store, how often its work gave way, and a transaction with many writes after a mark. */
  async function long() {
    const world = systemWorld();
    const turns = { count: 0 };
    const yielded = () => {
      turns.count++;
      return world.scheduler.yield();
    };
    const store = await memoryStore({
      world: { ...world, scheduler: { ...world.scheduler, yield: yielded } },
    });
    const transaction = store.begin();
    transaction.put(bytes('first'), bytes('1'));
    const mark = transaction.mark();
    for (let i = 0; i < 20_000; i++) transaction.put(key(i % 15_000), bytes(`${i}`));
    return { store, transaction, mark, turns };
  }

  test('gives way in between, and is whole at the end', async () => {
    const { store, transaction, mark, turns } = await long();
    const wait = transaction.undo(mark);
    expect(wait).toBeInstanceOf(Promise);
    expect(() => transaction.put(bytes('x'), bytes('1'))).toThrow(
      'only before its commit or release',
    );
    await wait;
    expect(turns.count).toBeGreaterThanOrEqual(4);
    expect(await take(transaction.scan(range(''), 'forward'))).toEqual(['first=1']);
    expect((await transaction.commit()).kind).toBe('committed');
    transaction.release();
    expect(await take(store.snapshot().scan(range(''), 'forward'))).toEqual(['first=1']);
  });

  test('can be released before it is through', async () => {
    const { store, transaction, mark } = await long();
    const wait = transaction.undo(mark);
    transaction.release();
    await wait;
    expect(() => transaction.mark()).toThrow('only before its commit or release');
    // Nobody holds the state that it read any more.
    await store.ingest()?.settled();
    expect(store.statistics().views).toBe(1);
  });
});
