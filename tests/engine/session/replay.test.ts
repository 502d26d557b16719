/** Lost races of open transactions: their statements run again, and are committed if the client would not notice. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { EngineTransaction } from '#engine';
import { Chain, col, compare, int, statement } from '../../serializability/lir.ts';
import {
  all,
  createTable,
  execute,
  get,
  openSetting,
  put,
  requestOf,
  rows,
  run,
  type Setting,
  set,
} from './support.ts';

let setting: Setting;
beforeEach(async () => {
  setting = await openSetting({ queueMax: 64 });
  await execute(setting.engine, put(1, 10), { ...(put(2, 20) as object), name: 'second' });
});
afterEach(() => setting.engine.close());

/** Adds 1 to the value of a key, without showing it. */
function increase(key: number): unknown {
  const value = { kind: 'binary', op: 'add', left: col('r', 'value'), right: int(1) };
  const chain = Chain.scan('register', 'r')
    .where(compare('eq', col('r', 'key'), int(key)))
    .pick({ key: col('r', 'key'), value } as never);
  return statement('update', 'increased', chain, { table: 'register' });
}

/** Runs without looking at the rows of the result. */
const change = (open: EngineTransaction, it: unknown) =>
  open.run({ ...requestOf(it), isWithoutRows: true });

test('a counter that many transactions increase without reading it loses no increase', async () => {
  const { engine } = setting;
  const open = Array.from({ length: 6 }, () => engine.begin());
  for (const one of open) await change(one, increase(1));
  const ends = await Promise.all(open.map((one) => one.commit()));
  expect(ends).toEqual(open.map(() => 'committed'));
  expect(await rows(engine)).toEqual([
    [1, 16],
    [2, 20],
  ]);
});

test('an answer that would differ is a conflict, and changes nothing', async () => {
  const { engine } = setting;
  const open = engine.begin();
  expect(await run(open, get(1))).toEqual([[1, 10]]);
  await run(open, set(2, 21));
  await execute(engine, set(1, 11));
  expect(await open.commit()).toBe('conflict');
  expect(await rows(engine)).toEqual([
    [1, 11],
    [2, 20],
  ]);
});

test('a number of affected rows that would differ is a conflict', async () => {
  const { engine } = setting;
  const open = engine.begin();
  await change(open, increase(1));
  await run(open, put(3, 30));
  await execute(
    engine,
    statement(
      'delete',
      'gone',
      Chain.scan('register', 'r')
        .where(compare('eq', col('r', 'key'), int(1)))
        .pick({ key: col('r', 'key') }),
      { table: 'register' },
    ),
  );
  expect(await open.commit()).toBe('conflict');
  expect(await rows(engine)).toEqual([[2, 20]]);
});

test('a statement that would fail is a conflict', async () => {
  const { engine } = setting;
  const open = engine.begin();
  await run(open, put(3, 30));
  await execute(engine, put(3, 31));
  expect(await open.commit()).toBe('conflict');
});

test('rows that a sink has taken are compared as well', async () => {
  const { engine } = setting;
  const open = engine.begin();
  await open.run({ ...requestOf(all()), sink: { take: () => undefined } });
  await run(open, put(3, 30));
  await execute(engine, set(1, 11));
  expect(await open.commit()).toBe('conflict');
});

test('rows that a sink has taken may be the same again', async () => {
  const { engine } = setting;
  const open = engine.begin();
  await open.run({ ...requestOf(all()), sink: { take: () => undefined } });
  await run(open, put(3, 30));
  await execute(engine, set(1, 10));
  expect(await open.commit()).toBe('committed');
});

test('after an undo nothing runs again', async () => {
  const { engine } = setting;
  const open = engine.begin();
  const mark = open.mark();
  await change(open, increase(1));
  await open.undo(mark);
  await change(open, increase(2));
  await execute(engine, set(2, 21));
  expect(await open.commit()).toBe('conflict');
});

test('a change of the catalog does not run again', async () => {
  const { engine } = setting;
  const open = engine.begin();
  await open.run(requestOf(createTable('more')));
  await change(open, increase(1));
  await execute(engine, set(1, 11));
  expect(await open.commit()).toBe('conflict');
});

test('a table that was changed in the meantime is a conflict', async () => {
  const { engine } = setting;
  const open = engine.begin();
  await change(open, increase(1));
  await execute(engine, set(1, 11));
  const id = engine.catalog.tables.find(({ name }) => name === 'register')?.id as number;
  await execute(engine, {
    kind: 'create_column',
    name: 'c',
    table_id: id,
    column: { name: 'more', type: 'int64', nullable: true },
  });
  expect(await open.commit()).toBe('conflict');
});

test('ids and times that statements generate are the same when they run again', async () => {
  const { engine } = setting;
  const columns = [
    { name: 'key', type: 'bytes', format: 'uuid', default: { kind: 'generator', func: 'uuid_v7' } },
    { name: 'at', type: 'int64', default: { kind: 'generator', func: 'now_ms' } },
    { name: 'value', type: 'int64' },
  ];
  await execute(engine, {
    kind: 'create_table',
    name: 'made',
    table: { name: 'events', columns, primary_key: ['key'] },
  });
  const event = (value: number) =>
    statement('create', 'event', Chain.row('r', { value }), { table: 'events' });
  const open = engine.begin();
  const first = await open.run(requestOf(event(1)));
  const second = await open.run(requestOf(event(2)));
  const shown = [...(first.result?.rows ?? []), ...(second.result?.rows ?? [])];
  expect(shown).toHaveLength(2);
  expect(shown[0]?.[0]).not.toEqual(shown[1]?.[0] as never);
  await change(open, increase(1));
  await execute(engine, set(1, 11));
  expect(await open.commit()).toBe('committed');
  const { result } = await execute(
    engine,
    statement('query', 'events', Chain.scan('events', 'r').orderBy('value')),
  );
  expect(result?.rows).toEqual(shown);
  expect((await rows(engine))[0]).toEqual([1, 12]);
});
