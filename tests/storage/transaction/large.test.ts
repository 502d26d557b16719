/** Transactions whose writes exceed their share, against a sorted map: on disk, at the commit, beside readers, and after a reopening. */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import type { ReadView, Snapshot, Transaction } from '#storage';
import type { LsmStore } from '../../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../../src/storage/assembly/open.ts';
import {
  memoryLocation,
  openDirectoryLocation,
  type StorageLocation,
} from '../../../src/storage/place/location.ts';
import { opaqueValues } from '../../../src/storage/table/opaque-codec.ts';
import { Dice } from '../../simulator/dice.ts';
import { bytes, range, read, take } from './support.ts';

type Model = Map<string, string>;

const world = systemWorld();
const options = {
  storage: 'memory',
  world,
  writeShareBytes: 2000,
  memtableBytes: 4000,
  tableBytes: 2000,
  blockBytes: 256,
  codecs: opaqueValues,
} as const;

const places: readonly [
  string,
  () => Promise<{ open: () => Promise<StorageLocation>; end: () => void }>,
][] = [
  [
    'memory',
    async () => {
      const place = memoryLocation();
      return { open: async () => place, end: () => {} };
    },
  ],
  [
    'directory',
    async () => {
      const path = mkdtempSync(join(tmpdir(), 'svc-large-'));
      const identity = { pid: process.pid, hostname: 'here', startedUnixMs: 0 };
      return {
        open: () => openDirectoryLocation({ path, world, identity }),
        end: () => rmSync(path, { recursive: true }),
      };
    },
  ],
];

const keyOf = (number: number): string => `key ${String(number).padStart(4, '0')}`;

function shown(model: Model, from = '', to?: string): string[] {
  return [...model.entries()]
    .filter(([key]) => key >= from && (to === undefined || key < to))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);
}

async function checkAll(view: ReadView, model: Model): Promise<void> {
  expect(await take(view.scan(range(''), 'forward'))).toEqual(shown(model));
}

async function checkSome(view: ReadView, model: Model, dice: Dice): Promise<void> {
  const key = keyOf(dice.below(400));
  expect(await read(view, key)).toBe(model.get(key) as string);
  const [from, to] = [dice.below(400), dice.below(400)].sort((a, b) => a - b) as [number, number];
  const direction = dice.chance(0.5) ? 'forward' : 'backward';
  const right = shown(model, keyOf(from), keyOf(to));
  if (direction === 'backward') right.reverse();
  const cursor = view.scan(range(keyOf(from), keyOf(to)), direction);
  expect(await take(cursor, dice.chance(0.5) ? 5 : Infinity)).toEqual(
    expect.arrayContaining(right.slice(0, 5)),
  );
  cursor.close();
}

class Run {
  model: Model;
  private readonly marks: Model[] = [];
  private count = 0;
  /** How often the batch went to the disk. */
  runs = 0;
  readonly transaction: Transaction;
  private readonly dice: Dice;

  constructor(transaction: Transaction, model: Model, dice: Dice) {
    this.transaction = transaction;
    this.model = new Map(model);
    this.dice = dice;
  }

  async step(): Promise<void> {
    const { dice, transaction } = this;
    switch (dice.below(12)) {
      case 0:
        if (this.marks.length < 4) {
          expect(transaction.mark()).toBe(this.marks.length);
          this.marks.push(new Map(this.model));
        }
        return;
      case 1: {
        if (this.marks.length === 0) return;
        const mark = dice.below(this.marks.length);
        await transaction.undo(mark);
        this.model = new Map(this.marks[mark]);
        this.marks.length = mark + 1;
        return;
      }
      case 2:
        if (this.marks.length === 0 || dice.chance(0.5)) return;
        this.marks.length = dice.below(this.marks.length);
        transaction.forget(this.marks.length);
        return;
      case 3:
      case 4:
        return checkSome(transaction, this.model, dice);
      default:
        this.write();
    }
    const wait = transaction.relieve();
    if (wait === undefined) return;
    this.runs++;
    await wait;
  }

  private write(): void {
    const { dice, transaction } = this;
    for (let count = dice.between(1, 20); count > 0; count--) {
      const key = keyOf(dice.below(400));
      if (dice.chance(0.3)) {
        transaction.delete(bytes(key));
        this.model.delete(key);
      } else {
        const value = `${++this.count}`.padEnd(dice.below(60), '.');
        transaction.put(bytes(key), bytes(value));
        this.model.set(key, value);
      }
    }
  }
}

for (const [kind, placeOf] of places) {
  test(`a sorted map and large transactions agree: ${kind}`, async () => {
    let runs = 0;
    for (let seed = 1; seed <= 6; seed++) {
      const dice = new Dice(seed);
      const place = await placeOf();
      let store = await openStoreIn(await place.open(), options);
      let model: Model = new Map();
      const held: { readonly snapshot: Snapshot; readonly model: Model }[] = [];
      for (let round = 0; round < 6; round++) {
        const run = new Run(store.begin(), model, dice);
        for (let step = dice.below(100); step > 0; step--) await run.step();
        if (dice.chance(0.5)) await checkAll(run.transaction, run.model);
        if (dice.chance(0.8)) {
          held.push({ snapshot: store.snapshot(), model });
          expect((await run.transaction.commit()).kind).toBe('committed');
          model = run.model;
        }
        run.transaction.release();
        runs += run.runs;
        const snapshot = store.snapshot();
        await checkAll(snapshot, model);
        snapshot.release();
        for (const view of held) await checkAll(view.snapshot, view.model);
        if (dice.chance(0.4)) await store.tidy();
        if (dice.chance(0.3)) {
          for (const view of held.splice(0)) view.snapshot.release();
          await store.close();
          store = await openStoreIn(await place.open(), options);
          await checkStore(store, model);
        }
      }
      for (const view of held) view.snapshot.release();
      await store.close();
      place.end();
    }
    expect(runs).toBeGreaterThan(60);
  });
}

async function checkStore(store: LsmStore, model: Model): Promise<void> {
  const snapshot = store.snapshot();
  await checkAll(snapshot, model);
  snapshot.release();
}
