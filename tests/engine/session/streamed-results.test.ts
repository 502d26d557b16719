/** Results that are passed on while their query runs, alone and within an open transaction. */

import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import type { Row } from '#value';
import { rejection } from '../../support/outcome.ts';
import { all, execute, get, openSetting, put, requestOf, type Setting, set } from './support.ts';

let setting: Setting;
const many = 3000;

beforeEach(async () => {
  // Without surveys, which take snapshots of their own.
  const statistics = {
    rowsOf: () => 1,
    rowsWithin: () => 1,
    surveyed: () => undefined,
    surveyOf: () => 0,
  };
  setting = await openSetting({ statistics });
  for (let from = 0; from < many; from += 100) {
    await execute(
      setting.engine,
      ...Array.from({ length: 100 }, (_, i) => ({
        ...(put(from + i, i) as object),
        name: `p${i}`,
      })),
    );
  }
});
afterEach(() => setting.engine.close());

/** Takes rows, and is full after each part until `drain` is called. */
function fullSink() {
  const parts: (readonly Row[])[] = [];
  let drain = Promise.withResolvers<void>();
  let taken = Promise.withResolvers<void>();
  return {
    parts,
    take(rows: readonly Row[]) {
      parts.push(rows);
      taken.resolve();
      return drain.promise;
    },
    /** Resolves when the next part has arrived. */
    arrived: () => taken.promise,
    drain() {
      taken = Promise.withResolvers<void>();
      const { resolve } = drain;
      drain = Promise.withResolvers<void>();
      resolve();
    },
  };
}

const keysOf = (parts: readonly (readonly Row[])[]) => parts.flat().map(([key]) => Number(key));
const allKeys = Array.from({ length: many }, (_, key) => key);

test('a sink receives all rows in order, and the response none', async () => {
  const parts: (readonly Row[])[] = [];
  const sink = { take: (rows: readonly Row[]) => void parts.push(rows) };
  const { result, statements } = await setting.engine.execute({ ...requestOf(all()), sink });
  expect(keysOf(parts)).toEqual(allKeys);
  expect(parts.length).toBeGreaterThan(1);
  expect(result?.rows).toEqual([]);
  expect(result?.columns.map(({ name }) => name)).toEqual(['key', 'value']);
  expect(statements[0]?.affected).toBe(many);
});

test('a row that is read by its key goes to the sink too', async () => {
  const engine = setting.engine;
  for (let run = 0; run < 2; run++) {
    const parts: (readonly Row[])[] = [];
    const sink = { take: (rows: readonly Row[]) => void parts.push(rows) };
    const requestContext = engine.requestContext({});
    engine.trace(requestContext, false);
    const request = { ...requestOf(get(7)), sink };
    const { result, statements } = await engine.execute(request, requestContext);
    requestContext.close();
    expect(parts).toEqual([[[7, 7]]]);
    expect(result?.rows).toEqual([]);
    expect(statements[0]?.affected).toBe(1);
  }
});

test('a sink is not called for a result without rows', async () => {
  const sink = { take: () => expect.unreachable() };
  const { result } = await setting.engine.execute({ ...requestOf(get(-1)), sink });
  expect(result?.rows).toEqual([]);
});

test('a full sink stops the query, which then holds its snapshot and no slot', async () => {
  const { engine } = setting;
  const sink = fullSink();
  const running = engine.execute({ ...requestOf(all()), sink });
  await sink.arrived();
  const before = sink.parts.length;
  expect(before).toBe(1);
  expect(engine['admission']['slots'].running).toBe(0);
  expect(engine.storeStatistics().views).toBe(1);
  // Another program runs, and the query does not see what it writes.
  await execute(engine, set(many - 1, 123_456));
  expect(sink.parts.length).toBe(before);
  while (keysOf(sink.parts).length < many) {
    const next = sink.arrived();
    sink.drain();
    await Promise.race([next, sink.arrived()]);
  }
  sink.drain();
  await running;
  expect(keysOf(sink.parts)).toEqual(allKeys);
  expect(sink.parts.at(-1)?.at(-1)).toEqual([many - 1, 99]);
  expect(engine.storeStatistics().views).toBe(0);
});

test('a request that ends while its sink is full releases everything', async () => {
  const { engine } = setting;
  const sink = fullSink();
  const client = new AbortController();
  const requestContext = engine.requestContext({ signal: () => client.signal });
  const running = rejection(engine.execute({ ...requestOf(all()), sink }, requestContext));
  await sink.arrived();
  client.abort();
  expect(await running).toMatchObject({ name: 'ClientGone' });
  requestContext.close();
  expect(sink.parts.length).toBe(1);
  expect(engine.storeStatistics().views).toBe(0);
  expect(engine.admissionStatistics()).toMatchObject({ poolUsedBytes: 0, running: 0 });
});

test('no row leaves before the state that it shows is durable', async () => {
  const { engine, store } = setting;
  const log = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  spyOn(store, 'durable').mockImplementation(() => {
    asked.resolve();
    return log.promise;
  });
  const parts: (readonly Row[])[] = [];
  const sink = { take: (rows: readonly Row[]) => void parts.push(rows) };
  const running = engine.execute({ ...requestOf(all()), sink });
  await asked.promise;
  expect(parts).toEqual([]);
  log.resolve();
  await running;
  expect(keysOf(parts)).toEqual(allKeys);
});

test('a query of an open transaction passes on its own writes', async () => {
  const { engine } = setting;
  const open = engine.begin();
  await open.run(requestOf(put(many, 1)));
  const parts: (readonly Row[])[] = [];
  const sink = { take: (rows: readonly Row[]) => void parts.push(rows) };
  const { result } = await open.run({ ...requestOf(all()), sink });
  expect(keysOf(parts)).toEqual([...allKeys, many]);
  expect(result?.rows).toEqual([]);
  expect(await open.commit()).toBe('committed');
});

test('a program that writes and commits by itself returns its rows in the response', async () => {
  const { engine } = setting;
  const sink = { take: () => expect.unreachable() };
  const { result } = await engine.execute({ ...requestOf(put(many, 1), get(many)), sink });
  expect(result?.rows).toEqual([[many, 1]]);
});
