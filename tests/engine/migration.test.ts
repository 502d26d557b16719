/** Schemas compared with the open database, one at a time, and migrations that rest on what was compared. */

import { afterEach, describe, expect, test } from 'bun:test';
import { applyChange, type Catalog, type CatalogChange, schemaHash } from '#catalog';
import type { Engine } from '#engine';
import { DatabaseError } from '#failure';
import type { Database } from '../../src/engine/database.ts';
import { execute, openSetting, put, rows } from './session/support.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function opened(options: Parameters<typeof openSetting>[0] = {}) {
  const setting = await openSetting({ worksOnTransitions: false, ...options });
  engines.push(setting.engine);
  return setting;
}

const withChanges = (catalog: Catalog, ...changes: readonly CatalogChange[]) =>
  changes.reduce((now, change) => applyChange(now, change).catalog, catalog);

const adds = (name: string): CatalogChange => ({
  kind: 'create_table',
  table: {
    ...{ name, primary_key: ['id'], columns: [{ name: 'id', type: 'int64' }] },
  } as Extract<CatalogChange, { kind: 'create_table' }>['table'],
});

const dropsValue: CatalogChange = { kind: 'delete_column', table_id: 1, column_id: 2 };

const builds = (name: string): CatalogChange => ({
  kind: 'create_index',
  table_id: 1,
  index: { name, columns: ['value'], unique: false },
});

const request = (catalog: Catalog, acceptDataLoss = false) => ({
  currentVersion: catalog.version,
  currentHash: schemaHash(catalog),
  acceptDataLoss,
});

/** Snapshots that the store hands out from now on: how many, and how many at the same time. */
function viewsOf({ store }: Database) {
  const snapshot = store.snapshot.bind(store);
  const views = { count: 0, held: 0, most: 0, begin: snapshot };
  store.snapshot = () => {
    const view = views.begin();
    const release = view.release.bind(view);
    views.count++;
    views.most = Math.max(views.most, ++views.held);
    view.release = () => {
      views.held--;
      release();
    };
    return view;
  };
  return views;
}

async function failureOf(pending: Promise<unknown>) {
  const error = await pending.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DatabaseError);
  return (error as DatabaseError).failure;
}

describe('a comparison', () => {
  test('has the changes, the program, and what its rows lose', async () => {
    const { engine } = await opened();
    await execute(engine, put(1, 10));
    const diff = await engine.schema.diff(withChanges(engine.catalog, adds('t'), dropsValue));
    expect(diff.current).toBe(engine.catalog);
    expect(new Set(diff.changes.map(({ kind }) => kind))).toEqual(
      new Set(['create_table', 'delete_column']),
    );
    expect(diff.program.statements).toHaveLength(2);
    expect(diff.destructive).toMatchObject([{ table: 'register', column: 'value' }]);
    expect(diff.blocking).toEqual([]);
  });

  test('with the schema that is there finds nothing', async () => {
    const { engine } = await opened();
    const diff = await engine.schema.diff(engine.catalog);
    expect(diff).toEqual({
      current: engine.catalog,
      changes: [],
      program: { statements: [] },
      ...{ destructive: [], blocking: [] },
    });
  });

  test('waits for those before it, of which a failed one does no harm', async () => {
    const { engine, database } = await opened();
    const desired = withChanges(engine.catalog, adds('t'));
    const views = viewsOf(database);
    const { begin } = views;
    views.begin = () => {
      views.begin = begin;
      throw new Error('no snapshot');
    };
    const all = [1, 2, 3].map(() => engine.schema.diff(desired));
    expect(engine.schema.comparing).toBe(3);
    const settled = await Promise.allSettled(all);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect([views.count, views.most, views.held]).toEqual([2, 1, 0]);
    expect(engine.schema.comparing).toBe(0);
  });

  test('is told once what it rests on is durable', async () => {
    const { engine, database } = await opened();
    const log = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const durable = database.store.durable.bind(database.store);
    database.store.durable = () => {
      database.store.durable = durable;
      asked.resolve();
      return log.promise;
    };
    let isTold = false;
    const diff = engine.schema.diff(engine.catalog).then(() => {
      isTold = true;
    });
    await asked.promise;
    await new Promise(setImmediate);
    expect(isTold).toBe(false);
    log.resolve();
    await diff;
  });

  test('is refused where too many wait', async () => {
    const { engine } = await opened({ queueMax: 2 });
    const waiting = [1, 2].map(() => engine.schema.diff(engine.catalog));
    const refused = await failureOf(engine.schema.diff(engine.catalog));
    expect(refused).toMatchObject({
      reason: 'overloaded',
      detail: '2 schemas already wait to be compared; try again later',
      retryAfterSeconds: 1,
    });
    await Promise.all(waiting);
    await engine.schema.diff(engine.catalog);
  });
});

describe('a migration', () => {
  test('leads to the schema, in one version', async () => {
    const { engine } = await opened();
    const before = engine.catalog;
    const desired = withChanges(before, adds('t'), adds('u'), adds('v'));
    const migrated = await engine.schema.migrate(desired, request(before));
    expect(migrated.catalog).toBe(engine.catalog);
    expect(schemaHash(engine.catalog)).toBe(schemaHash(desired));
    expect(engine.catalog.version).toBe(before.version + 1);
    expect(migrated.changes.map(({ kind }) => kind)).toEqual(Array(3).fill('create_table'));
    expect(migrated.transitionIds).toEqual([]);
  });

  test('that was asked for twice is carried out once', async () => {
    const { engine } = await opened();
    const before = engine.catalog;
    const desired = withChanges(before, adds('t'));
    await engine.schema.migrate(desired, request(before));
    const { version } = engine.catalog;
    const again = await engine.schema.migrate(desired, request(before));
    expect(again.changes).toEqual([]);
    expect(engine.catalog.version).toBe(version);
  });

  test('loses rows only where that was agreed to', async () => {
    const { engine } = await opened();
    await execute(engine, put(1, 10));
    const desired = withChanges(engine.catalog, dropsValue);
    const refused = await failureOf(engine.schema.migrate(desired, request(engine.catalog)));
    expect(refused.reason).toBe('schema_data_loss_acceptance_required');
    await engine.schema.migrate(desired, request(engine.catalog, true));
    expect(await rows(engine)).toEqual([[1]]);
  });

  test('compares again when rows that it would lose come meanwhile', async () => {
    const { engine, database } = await opened();
    const desired = withChanges(engine.catalog, dropsValue);
    const begin = database.store.begin.bind(database.store);
    // The table is empty when it is compared; before the commit it gets a row.
    let isFirst = true;
    database.store.begin = () => {
      const transaction = begin();
      if (!isFirst) return transaction;
      isFirst = false;
      const commit = transaction.commit.bind(transaction);
      transaction.commit = async (hooks) => {
        await execute(engine, put(1, 10));
        return commit(hooks);
      };
      return transaction;
    };
    const refused = await failureOf(engine.schema.migrate(desired, request(engine.catalog)));
    expect(refused.reason).toBe('schema_data_loss_acceptance_required');
    expect(await rows(engine)).toEqual([[1, 10]]);
  });

  test('names the work that it has started, and that goes on already', async () => {
    const { engine } = await opened();
    await execute(engine, put(1, 10));
    const before = engine.catalog;
    const desired = withChanges(before, builds('by_value'));
    const migrated = await engine.schema.migrate(desired, request(before));
    const listed = await engine.transitions.list({});
    expect(migrated.transitionIds).toEqual(listed.map((it) => it.transition_id));
    const again = await engine.schema.migrate(desired, request(before));
    expect(again.transitionIds).toEqual(migrated.transitionIds);
  });

  test('names work that goes on before work that it starts', async () => {
    const { engine } = await opened();
    await execute(engine, put(1, 10));
    const before = engine.catalog;
    const one = withChanges(before, builds('by_value'));
    const [first] = (await engine.schema.migrate(one, request(before))).transitionIds;
    const two = withChanges(one, builds('by_value_again'));
    const { transitionIds } = await engine.schema.migrate(two, request(engine.catalog));
    expect(transitionIds).toHaveLength(2);
    expect(transitionIds[0]).toBe(first as string);
  });
});

test('a file is read in turn, too', async () => {
  const { engine } = await opened();
  const parsed = engine.schema.read('tables: 7', 'svc.schema.yaml');
  expect(engine.schema.comparing).toBe(1);
  expect((await parsed).kind).not.toBe('schema');
  expect(engine.schema.comparing).toBe(0);
});
