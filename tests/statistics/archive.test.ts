/** What surveys have found, kept in a store: what a process finds there after a start, what readers take, and what becomes of records that are wrong. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { compareBytes, systemWorld } from '#base';
import { keySpaces, type Table } from '#catalog';
import { Archive, Corpus, Surveys, SynopsisShelf, type TableSynopsis } from '#statistics';
import { openStore, StorageError, type Store } from '#storage';
import { ByteString } from '#value';
import { eraseRecords } from '../../src/statistics/corpus/erase.ts';
import { type ManualWorld, manualWorld } from '../support/manual-world.ts';
import { outcomeOf } from '../support/outcome.ts';
import { surveyedAs } from '../support/synopses.ts';

const minuteMs = 60_000;

const tableOf = (physicalId: number) =>
  ({
    id: physicalId,
    physicalId,
    name: `t${physicalId}`,
    columns: [
      { id: 1, physicalId: 1, name: 'a' },
      { id: 2, physicalId: 2, name: 'b' },
    ],
    primaryKey: [1],
  }) as unknown as Table;

let store: Store;
let world: ManualWorld;
let tables: Table[];
const running: Archive[] = [];

beforeAll(async () => {
  store = await openStore({ storage: 'memory', path: '', world: systemWorld() });
});
afterAll(() => store.close());
beforeEach(async () => {
  for (const archive of running.splice(0)) await archive.stop();
  world = manualWorld();
  tables = [tableOf(1), tableOf(2)];
  await put((await entries()).map(({ key }) => [key, undefined]));
});

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

async function entries(space: number = keySpaces.statistics): Promise<Entry[]> {
  const snapshot = store.snapshot();
  const range = { from: Uint8Array.of(space), to: Uint8Array.of(space + 1) };
  const cursor = snapshot.scan(range, 'forward');
  const found: Entry[] = [];
  for (;;) {
    const next = cursor.next();
    if (next === false) break;
    if (next !== true) await next;
    else {
      const key = cursor.key.slice(cursor.keyFrom, cursor.keyTo);
      found.push({ key, value: cursor.value.slice(cursor.valueFrom, cursor.valueTo) });
    }
  }
  cursor.close();
  snapshot.release();
  return found;
}

async function put(changes: readonly (readonly [Uint8Array, Uint8Array | undefined])[]) {
  const transaction = store.begin();
  for (const [key, value] of changes) {
    if (value === undefined) transaction.delete(key);
    else transaction.put(key, value);
  }
  expect((await transaction.commit()).kind).toBe('committed');
  transaction.release();
}

/** A process: its surveys, and what it keeps of them. */
async function started({ isReader = false, rows = 5_000 } = {}) {
  const surveys = new Surveys({ entriesIn: () => rows }, world.clock);
  const archive = new Archive({
    store,
    world,
    shelves: [new SynopsisShelf(surveys, () => tables)],
    isReader,
  });
  archive.start();
  running.push(archive);
  await archive.loaded;
  return { surveys, archive };
}

function found(table: Table, more: Partial<TableSynopsis> = {}): TableSynopsis {
  const { synopsis } = surveyedAs(table, 5_000, {
    a: {
      minimum: -(2n ** 63n),
      maximum: new ByteString(Uint8Array.of(1, 255), 'uuid'),
      mostCommon: [
        { value: -0, frequency: 7, maximumError: 2 },
        { value: 'é\u0000😀', frequency: 5, maximumError: 0 },
        { value: null, frequency: 3, maximumError: 0 },
        { value: true, frequency: 2, maximumError: 0 },
      ],
      bounds: [1.5, 2 ** 53 + 2, 2n ** 62n],
      averageWidth: 8.25,
    },
  });
  const group = {
    columns: [1, 2],
    physicalIds: [1, 2],
    nulls: 1,
    distinct: 12.5,
    distinctIsExact: false,
    distinctInTable: 99.5,
    mostCommon: [{ value: [1, 'x'], frequency: 4, maximumError: 1 }],
  };
  return { ...synopsis, collectedAtUnixMs: world.clock.unixMs(), groups: [group], ...more };
}

/** The minute passes, and what it has brought about is done. */
async function minute() {
  world.advance(minuteMs);
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
}

describe('a writer', () => {
  test('finds after a start what its surveys had found, to the last value', async () => {
    const before = await started();
    const synopsis = found(tables[0] as Table);
    before.surveys.found(tables[0] as Table, synopsis);
    expect(await entries()).toEqual([]);
    await minute();
    expect(await entries()).toHaveLength(1);
    await before.archive.stop();
    const after = await started();
    expect(after.surveys.surveyed(tables[0] as Table)?.synopsis).toEqual(synopsis);
    expect(
      Object.is(
        after.surveys.surveyed(tables[0] as Table)?.synopsis.columns[0]?.mostCommon[0]?.value,
        -0,
      ),
    ).toBe(true);
    expect(after.surveys.surveyed(tables[0] as Table)?.ageMs).toBe(minuteMs);
    expect(after.surveys.wish()).toBeUndefined();
    expect(after.surveys.due([tables[0] as Table])).toBeUndefined();
  });

  test('writes at its stop what it has not written yet, and nothing when nothing is new', async () => {
    const { surveys, archive } = await started();
    const [table] = tables as [Table];
    surveys.found(table, found(table));
    await archive.stop();
    const [kept] = await entries();
    expect(kept).toBeDefined();
    const again = await started();
    again.surveys.found(table, found(table, { collectedAtUnixMs: world.clock.unixMs() + 5 }));
    expect(world.pending).toEqual([]);
    await again.archive.stop();
    expect(await entries()).toEqual([kept as Entry]);
  });

  test('takes records away whose tables are gone', async () => {
    const { surveys, archive } = await started();
    for (const table of tables) surveys.found(table, found(table));
    await minute();
    expect(await entries()).toHaveLength(2);
    tables = [tables[1] as Table];
    surveys.found(tables[0] as Table, found(tables[0] as Table, { tableRows: 50_000 }));
    await minute();
    expect((await entries()).map(({ key }) => key.at(-1))).toEqual([2]);
    await archive.stop();
    tables = [tableOf(3)];
    const after = await started();
    after.surveys.found(tables[0] as Table, found(tables[0] as Table));
    await minute();
    expect((await entries()).map(({ key }) => key.at(-1))).toEqual([3]);
  });

  test('forgets what is no record, and what is too large', async () => {
    const { surveys, archive } = await started();
    const [table, other] = tables as [Table, Table];
    surveys.found(table, found(table));
    await archive.stop();
    const [{ key, value }] = (await entries()) as [Entry];
    const text = new TextDecoder().decode(value.subarray(9));
    const wrongs = [
      value.with(0, 2),
      value.with(8, (value[8] as number) ^ 1),
      value.subarray(0, value.length - 1),
      value.subarray(0, 5),
      new Uint8Array(),
      ...[
        text.replace('"complete"', '"whole"'),
        text.replace('"observedRows":5000', '"observedRows":-1'),
        text.replace('"physicalId":1', '"physicalId":7'),
        text.replace(/"mostCommon":\[.*/, '"mostCommon":3}'),
        text.replace('"frequency":7', '"frequency":"7"'),
        '[]',
        'null',
      ].map((wrong) => Buffer.concat([value.subarray(0, 9), Buffer.from(wrong)])),
    ];
    for (const wrong of wrongs) {
      await put([[key, wrong]]);
      const { surveys: now, archive: kept } = await started();
      expect(now.surveyed(table)).toBeUndefined();
      await kept.stop();
      expect(await entries()).toEqual([]);
    }
    const { surveys: last } = await started();
    const long = { value: 'x'.repeat(1 << 20), frequency: 1, maximumError: 0 };
    const synopsis = found(other);
    const columns = synopsis.columns.map((column) => ({ ...column, mostCommon: [long] }));
    last.found(other, { ...synopsis, columns });
    await minute();
    expect(await entries()).toEqual([]);
    expect(world.pending).toEqual([]);
  });

  test('keeps what it has found itself when the store has something older', async () => {
    const { surveys } = await started();
    const [table] = tables as [Table];
    surveys.found(table, found(table));
    surveys.restore(found(table, { tableRows: 9, collectedAtUnixMs: 1 }));
    expect(surveys.surveyed(table)?.synopsis.tableRows).toBe(5_000);
  });
});

test('a reader takes what the writer finds, and writes nothing', async () => {
  const writer = await started();
  const reader = await started({ isReader: true });
  const [table, other] = tables as [Table, Table];
  writer.surveys.found(table, found(table));
  await minute();
  await minute();
  expect(reader.surveys.surveyed(table)?.synopsis).toEqual(
    writer.surveys.surveyed(table)?.synopsis as TableSynopsis,
  );
  const number = reader.surveys.surveyOf(table);
  await minute();
  expect(reader.surveys.surveyOf(table)).toBe(number);
  writer.surveys.found(table, found(table, { tableRows: 20_000 }));
  await minute();
  await minute();
  expect(reader.surveys.reported(tables)[0]?.synopsis.tableRows).toBe(20_000);
  const all = await entries();
  reader.surveys.found(other, found(other));
  await minute();
  await reader.archive.stop();
  expect(await entries()).toEqual(all);
});

describe('a part of the store that cannot be read', () => {
  const corrupt = { kind: 'corrupt', object: 'sst/1', offset: 0, detail: '', lost: '' } as const;
  /** The store, of which no range with this key can be scanned. */
  const damagedAt = (damaged: Uint8Array) => ({
    begin: () => store.begin(),
    snapshot: () => {
      const snapshot = store.snapshot();
      const scan = snapshot.scan.bind(snapshot);
      snapshot.scan = (range, direction, bounds) => {
        const isWithin =
          compareBytes(range.from, damaged) <= 0 &&
          (range.to === undefined || compareBytes(damaged, range.to) < 0);
        if (isWithin) throw new StorageError(corrupt);
        return scan(range, direction, bounds);
      };
      return snapshot;
    },
    pressure: 'none' as const,
  });

  test('takes few records along', async () => {
    const first = await started();
    const far = tableOf(0x7000_0000);
    tables.push(far);
    for (const table of tables) first.surveys.found(table, found(table));
    await first.archive.stop();
    const [near] = await entries();
    const surveys = new Surveys({ entriesIn: () => 5_000 }, world.clock);
    const archive = new Archive({
      store: damagedAt(near?.key as Uint8Array),
      world,
      shelves: [new SynopsisShelf(surveys, () => tables)],
      isReader: false,
    });
    archive.start();
    await archive.loaded;
    await archive.stop();
    expect(tables.map((table) => surveys.surveyOf(table) !== 0)).toEqual([false, false, true]);
    expect(await entries()).toHaveLength(3);
  });

  test('keeps no other record of the corpus from being erased', async () => {
    const corpus = new Corpus({ store, world });
    corpus.start();
    for (let i = 0; i < 20; i++) corpus.offer(`{"statements":[{"name":"${i}"}]}`, false);
    await corpus.report();
    world.advance(minuteMs);
    await corpus.report();
    await corpus.stop();
    const kept = () => entries(keySpaces.corpus);
    const before = await kept();
    const damaged = before[0]?.key as Uint8Array;
    const erasing = eraseRecords({ store: damagedAt(damaged), world });
    expect(await outcomeOf(erasing)).toThrow('sst/1 is corrupt');
    const left = await kept();
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(before.length / 2);
  });
});

test('a record that is no record gives way to the next finding, in the same commit', async () => {
  const first = await started();
  first.surveys.found(tables[0] as Table, found(tables[0] as Table));
  await first.archive.stop();
  const [{ key } = { key: new Uint8Array() }] = await entries();
  await put([[key, Uint8Array.of(9)]]);
  const second = await started();
  expect(second.surveys.surveyOf(tables[0] as Table)).toBe(0);
  second.surveys.found(tables[0] as Table, found(tables[0] as Table));
  await second.archive.stop();
  const third = await started();
  expect(third.surveys.surveyOf(tables[0] as Table)).not.toBe(0);
});
