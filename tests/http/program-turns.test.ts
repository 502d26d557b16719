/** Programs that nobody has planned yet share a few milliseconds of each turn; those that are known go ahead of them. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Clock, type Scheduler, systemWorld } from '#base';
import type { Engine, ProgramRequest, RequestContext } from '#engine';
import { openMemoryEngine, openTestHandler } from './support.ts';

let engine: Engine;
beforeAll(async () => {
  // Time stands still for what is let in: no look at a budget gives way.
  const clock = { unixMs: () => 0, monotonicMs: () => 0 };
  engine = await openMemoryEngine('direct', { ...systemWorld(), clock });
});
afterAll(() => engine.close());

/** After all that is ready has run. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Each look at the clock takes 1 ms; turns end when the test says so. */
function open() {
  let now = 0;
  let ending: (() => void)[] = [];
  const clock = { unixMs: () => now, monotonicMs: () => now++ } as Clock;
  const scheduler = {
    yield: () => new Promise<void>((resolve) => void ending.push(resolve)),
    afterTurn: (task) => void ending.push(task),
    after: () => ({ cancel: () => {} }),
  } as Scheduler;
  const limits = { bodyBytesMax: 1 << 20, depthMax: 32 };
  const rest = { unsentBytesMax: 1 << 20, resultBytesMax: 1 << 20, arrivingBytesMax: 1 << 26 };
  let planned = 0;
  const counting = Object.create(engine, {
    execute: {
      value: (request: ProgramRequest, requestContext: RequestContext) => {
        const program = async () => {
          const read = await request.program();
          planned++;
          return read;
        };
        return engine.execute({ ...request, program }, requestContext);
      },
    },
  }) as Engine;
  const { handle } = openTestHandler(
    { engine: counting },
    { clock, scheduler, limits: { ...limits, ...rest } },
  );
  const answered: string[] = [];
  const ask = (method: 'POST' | 'QUERY', name: string, number: number) => {
    const document = method === 'POST' ? programOf(name, number) : queryOf(name, number);
    const type = method === 'POST' ? 'application/json' : 'application/vnd.svc.lir+json';
    const body = JSON.stringify(document);
    const headers = { 'content-type': type, 'content-length': `${body.length}` };
    const request = new Request('http://localhost/execute', { method, headers, body });
    // All are there at once, as when one look at the sockets finds them.
    Object.defineProperty(request, 'bytes', { value: async () => new TextEncoder().encode(body) });
    return Promise.resolve(handle(request)).then(({ status }) => {
      if (status !== 200) throw new Error(`${name}: ${status}`);
      answered.push(name);
    });
  };
  const turn = async () => {
    const due = ending;
    ending = [];
    for (const resolve of due) resolve();
    for (let i = 0; i < 4; i++) await settled();
  };
  return { ask, turn, answered, planned: () => planned };
}

/** The name is part of the text: another one is another program. */
function queryOf(name: string, number: number) {
  const columns = [{ name, type: 'int64' }];
  const rows = { kind: 'rows', scope: 's', columns, rows: [[`${number}`]] };
  return { nodes: { s: rows }, root: { node: 's', cardinality: 'exactly_one' } };
}

function programOf(name: string, number: number) {
  const statement = { kind: 'query', name: 'q', relation: queryOf(name, number) };
  return { statements: [statement], result: 'q' };
}

test.each(['POST', 'QUERY'] as const)(
  'many by %s that arrive together are taken up in turns',
  async (method) => {
    const { ask, turn, answered, planned } = open();
    const names = Array.from({ length: 20 }, (_, i) => `${method.toLowerCase()}${i}`);
    const all = names.map((name) => ask(method, name, 1));
    for (let i = 0; i < 4; i++) await settled();
    expect(planned()).toBeGreaterThan(0);
    expect(planned()).toBeLessThan(6);
    let turns = 0;
    for (; planned() < names.length && turns < 40; turns++) {
      const before = planned();
      await turn();
      expect(planned() - before).toBeLessThan(6);
    }
    expect(turns).toBeGreaterThan(2);
    await Promise.all(all);
    expect(answered.toSorted()).toEqual(names.toSorted());
  },
);

test('a program that is known waits for none of them', async () => {
  const { ask, turn, answered } = open();
  const first = ask('POST', 'known', 1);
  await settled();
  await first;
  const others = Array.from({ length: 20 }, (_, i) => ask('POST', `other${i}`, 1));
  await ask('POST', 'known', 2);
  expect(answered.filter((name) => name === 'known').length).toBe(2);
  expect(answered.length).toBeLessThan(15);
  for (let i = 0; i < 40; i++) await turn();
  await Promise.all(others);
});
