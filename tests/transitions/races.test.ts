/** What happens beside a step: a table that changes under it, a row that goes, a state that is not durable yet. */

import { expect, test } from 'bun:test';
import {
  decodeTransition,
  type ForeignKey,
  moveTransition,
  type Table,
  transitionKey,
} from '#catalog';
import { tableLayout } from '#layout';
import { readValue } from '#storage';
import {
  cancelTransition,
  getTransition,
  listTransitions,
  type TransitionHost,
} from '#transitions';
import { isStillDangling } from '../../src/transitions/constraint-chunk.ts';
import { untilWon } from '../../src/transitions/race.ts';
import { claimTransition, inTransaction, stepTransition } from '../../src/transitions/step.ts';
import { buildIndex, createTable, mutation, openWorkshop, type Workshop } from './support.ts';

const columns = ['id int64', 'v int64?'] as const;

async function opened(): Promise<Workshop> {
  const workshop = await openWorkshop();
  await workshop.run(createTable('t', columns), mutation('create', 't', columns, ['1', '1']));
  return workshop;
}

/** The host of the workshop with some members of its store replaced. */
function hostOf(db: Workshop, members: Partial<TransitionHost['store']> = {}): TransitionHost {
  const database = db.engine['database'];
  const store = new Proxy(database.store, {
    get: (target, name) => {
      const own = Reflect.get(members, name) as unknown;
      const member = own ?? (Reflect.get(target, name, target) as unknown);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return {
    store,
    world: database.world,
    get catalog() {
      return database.catalog;
    },
    commit: (transaction, move, isCurrent) => database.commit(transaction, move, isCurrent),
  };
}

test('a step does not commit over a table that has changed since it looked', async () => {
  await using db = await opened();
  const id = await db.start(buildIndex('i', ['v']));
  const before = await db.get(id);
  const outcome = await inTransaction(hostOf(db), Number(id.slice(2)), async ({ record }) => {
    await db.run({ kind: 'rename_column', table_id: 1, column_id: 2, to: 'w' });
    return { record: { ...record, rowsScanned: 999 } };
  });
  expect(outcome).toBe('contended');
  expect(await db.get(id)).toEqual(before);
});

test('a step that moves the catalog does not commit over one that has changed since it looked', async () => {
  await using db = await opened();
  const id = await db.start(buildIndex('i', ['v']));
  const before = await db.get(id);
  const host = hostOf(db);
  const number = Number(id.slice(2));
  const outcome = await inTransaction(host, number, async ({ catalog, record }) => {
    await db.run(createTable('other', columns));
    const state = 'catching_up' as const;
    return { record: { ...record, state }, after: moveTransition(catalog, number, state) };
  });
  expect(outcome).toBe('contended');
  expect(await db.get(id)).toEqual(before);
  expect(db.engine.catalog.tables.map(({ name }) => name)).toEqual(['t', 'other']);
});

test.each(['cancelled', 'ready'] as const)(
  'an owner of one that is %s owns it no more',
  async (end) => {
    await using db = await opened();
    const id = await db.start(buildIndex('i', ['v']));
    const number = Number(id.slice(2));
    const host = hostOf(db);
    const { epoch } = await claimTransition(host, number);
    if (end === 'cancelled') await cancelTransition(host, id);
    while ((await db.get(id)).state !== end) {
      await stepTransition(host, number, { epoch, rowsMax: 512 });
    }
    expect(await stepTransition(host, number, { epoch, rowsMax: 512 })).toBe('lost');
    const view = host.store.snapshot();
    const record = decodeTransition((await readValue(view, transitionKey(number))) as Uint8Array);
    view.release();
    expect(record.epoch).toBe(end === 'cancelled' ? epoch + 1 : epoch);
  },
);

test('a change of another table does not disturb a step', async () => {
  await using db = await opened();
  const id = await db.start(buildIndex('i', ['v']));
  const outcome = await inTransaction(hostOf(db), Number(id.slice(2)), async ({ record }) => {
    await db.run(createTable('other', columns));
    return { record: { ...record, rowsScanned: 999 } };
  });
  expect(outcome).toBe('advanced');
  expect(await db.get(id)).toMatchObject({ rows_scanned: 999, generation: 2 });
});

test('a row that was found dangling and is gone now dangles no more', async () => {
  await using db = await openWorkshop();
  const key = { name: 'fk', columns: ['v'], ref_table: 'p', ref_columns: ['id'] };
  await db.run(
    createTable('p', ['id int64']),
    createTable('c', columns, { foreign_keys: [{ ...key, on_delete: 'restrict' }] }),
    mutation('create', 'p', ['id int64'], ['1']),
    mutation('create', 'c', columns, ['1', '1']),
  );
  const { catalog } = db.engine;
  const table = catalog.tables[1] as Table;
  const foreignKey = table.foreignKeys[0] as ForeignKey;
  const validation = {
    catalog,
    table,
    physicalId: 0,
    constraint: { kind: 'foreign_key', foreignKey },
  };
  const transaction = hostOf(db).store.begin();
  const dangles = (id: number) =>
    isStillDangling(
      transaction,
      validation as Parameters<typeof isStillDangling>[1],
      foreignKey,
      tableLayout(table).keyOfValues([id]),
    );
  expect(await dangles(1)).toBe(false);
  expect(await dangles(2)).toBe(false);
  transaction.release();
});

test('a transition is shown when it is durable, and not before', async () => {
  await using db = await opened();
  const id = await db.start(buildIndex('i', ['v']));
  const synced = Promise.withResolvers<void>();
  const { store } = hostOf(db, { durable: () => synced.promise });
  const shown: string[] = [];
  const asked = [
    listTransitions(store, {}).then((list) => shown.push(`list of ${list.length}`)),
    getTransition(store, id).then(({ state }) => shown.push(state)),
  ];
  await db.rows('t');
  await db.rows('t');
  expect(shown).toEqual([]);
  synced.resolve();
  await Promise.all(asked);
  expect(shown.sort()).toEqual(['building', 'list of 1']);
});

test('a cancellation that loses races is made alone in the end', async () => {
  await using db = await opened();
  const id = await db.start(buildIndex('i', ['v']));
  const host = hostOf(db);
  const database = db.engine['database'];
  let isAlone = false;
  let lost = 0;
  const contended: TransitionHost = {
    ...hostOf(db, {
      exclusive: async (work) => {
        isAlone = true;
        return database.store.exclusive(work);
      },
    }),
    catalog: host.catalog,
    commit: async (transaction, move, isCurrent) => {
      if (isAlone) return database.commit(transaction, move, isCurrent);
      lost++;
      return { kind: 'conflict', key: undefined };
    },
  };
  expect(await cancelTransition(contended, id)).toMatchObject({ state: 'cancelled' });
  expect(lost).toBe(4);
});

/** Attempts at a commit that lose so many races; how each was made. */
async function attemptsUntilWon(races: number): Promise<{ outcome: string; ways: string[] }> {
  const ways: string[] = [];
  let isAlone = false;
  const attempt = async () => {
    ways.push(isAlone ? 'alone' : 'beside others');
    if (ways.length > 20) throw new Error('there is no end');
    return ways.length > races ? 'advanced' : 'contended';
  };
  const exclusive = async <T>(work: () => Promise<T>): Promise<T> => {
    isAlone = true;
    return work().finally(() => {
      isAlone = false;
    });
  };
  const host = { store: { exclusive } } as unknown as TransitionHost;
  return { outcome: await untilWon(host, attempt), ways };
}

test('a commit that has lost two races is made alone, and given up when even that is of no use', async () => {
  const beside = 'beside others';
  expect(await attemptsUntilWon(0)).toEqual({ outcome: 'advanced', ways: [beside] });
  expect(await attemptsUntilWon(2)).toEqual({
    outcome: 'advanced',
    ways: [beside, beside, 'alone'],
  });
  expect(await attemptsUntilWon(99)).toEqual({
    outcome: 'contended',
    ways: [beside, beside, 'alone', 'alone'],
  });
});
