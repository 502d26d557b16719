/** Answers that are kept, and shared: one execution for many, never an answer of a state that was over when it was asked for. */

import { describe, expect, test } from 'bun:test';
import { isSameState } from '#engine';
import { databaseOver, openTestDatabase, type TestDatabase } from '../support/database.ts';
import { manualWorld } from '../support/manual-world.ts';
import type { SchemaFile } from '../support/schema-file.ts';
import { seededRandom } from '../support/seeded-random.ts';

const table = (id: number, name: string): SchemaFile['tables'][number] => ({
  id,
  name,
  columns: [
    { id: 1, name: 'id', type: 'int64', pk: true },
    { id: 2, name: 'n', type: 'int64' },
    { id: 3, name: 'note', type: 'text' },
  ],
});

const schema: SchemaFile = { tables: [table(1, 't'), table(2, 'u')] };

function all(name = 't', least = 0) {
  const column = (of: string) => ({ kind: 'col', scope: 's', column: of });
  const right = { kind: 'lit', value: { type: 'int64', value: String(least) } };
  return {
    nodes: {
      s: { kind: 'scan', table: name, scope: 's' },
      f: {
        kind: 'filter',
        input: 's',
        predicate: { kind: 'binary', op: 'gte', left: column('n'), right },
      },
      o: { kind: 'order', input: 'f', terms: [{ expr: column('id') }] },
    },
    root: { node: 'o', cardinality: 'many' },
  };
}

const program = (relation: unknown) => ({ statements: [{ kind: 'query', name: 'q', relation }] });

function writing(kind: string, rows: readonly (readonly [number, number])[], name = 't') {
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 'n', type: 'int64' },
    { name: 'note', type: 'text' },
  ];
  const cells = rows.map(([id, n]) => [String(id), String(n), `é${n}`]);
  const relation = {
    nodes: { r: { kind: 'rows', scope: 'r', columns, rows: cells } },
    root: { node: 'r', cardinality: 'many' },
  };
  return { statements: [{ kind, name: 'w', table: name, relation }] };
}

/** Opens a database whose timers never run: a survey would replace the plans between two requests. */
async function open(rows = 50): Promise<TestDatabase> {
  const db = await openTestDatabase('schema', schema, {}, manualWorld());
  const given = Array.from({ length: rows }, (_, i) => [i, i] as const);
  for (const name of ['t', 'u']) {
    expect((await db.send('POST', '/execute', writing('create', given, name))).status).toBe(200);
  }
  return db;
}

const post = (db: TestDatabase, relation: unknown) =>
  db.send('POST', '/execute', program(relation));
const query = (db: TestDatabase, relation: unknown, headers?: Record<string, string>) =>
  db.send('QUERY', '/execute', relation, headers);

/** How often programs were run that are no points. */
const executions = (db: TestDatabase) => db.engine.admissionStatistics().query;

describe('what is asked for again', () => {
  for (const [name, ask] of [
    ['by a program', post],
    ['by a query', query],
  ] as const) {
    test(`${name} is executed until it is kept, then it is not`, async () => {
      await using db = await open();
      const replies = [];
      const ran = executions(db);
      for (let i = 0; i < 6; i++) replies.push(await ask(db, all()));
      // Planned, then missed twice.
      expect(executions(db) - ran).toBe(3);
      const { relations } = db.counters;
      expect([relations.misses, relations.hits, relations.entries]).toEqual([2, 3, 1]);
      const shown = replies.map(({ status, text, headers }) => [status, text, [...headers]]);
      for (const one of shown) expect(one).toEqual(shown[0] as (typeof shown)[0]);
      expect(JSON.parse(replies[0]?.text as string)).toEqual(
        (await ask(databaseOver(db.engine), all())).json as object,
      );
    });
  }

  test('is another answer when a row has changed, and the same when one elsewhere has', async () => {
    await using db = await open();
    for (let i = 0; i < 4; i++) await post(db, all());
    const ran = executions(db);
    await db.send('POST', '/execute', writing('update', [[1, 100]], 'u'));
    await post(db, all());
    expect(executions(db)).toBe(ran);
    await db.send('POST', '/execute', writing('update', [[1, 100]]));
    const { text } = await post(db, all());
    expect(text).toContain('"n":100');
    expect(db.counters.relations).toMatchObject({ evictedStale: 1, entries: 1 });
    expect((await post(db, all())).text).toBe(text);
  });

  test('with an entity tag is not even answered', async () => {
    await using db = await open();
    let tag = '';
    for (let i = 0; i < 4; i++) tag = (await query(db, all())).headers.get('etag') as string;
    const ran = executions(db);
    const unchanged = await query(db, all(), { 'if-none-match': tag });
    expect([unchanged.status, unchanged.headers.get('etag')]).toEqual([304, tag]);
    const other = await query(db, all(), { 'if-none-match': '"other"' });
    expect([other.status, other.headers.get('etag')]).toEqual([200, tag]);
    expect(executions(db)).toBe(ran);
    await query(db, all('gone'), { 'if-none-match': '*' });
    expect(db.counters).toMatchObject({
      conditionsMet: 1,
      conditionsMissed: 1,
      conditionsFailed: 1,
    });
  });

  test('is not kept when it reads few rows by key, writes, shows its plan, or is only tried', async () => {
    await using db = await open();
    const row = all();
    const byKey = {
      ...row,
      nodes: {
        ...row.nodes,
        f: {
          kind: 'filter',
          input: 's',
          predicate: {
            kind: 'binary',
            op: 'eq',
            left: { kind: 'col', scope: 's', column: 'id' },
            right: { kind: 'lit', value: { type: 'int64', value: '3' } },
          },
        },
      },
    };
    for (let i = 0; i < 5; i++) {
      await post(db, byKey);
      await db.send('POST', '/execute', writing('update', [[1, i]]));
      await db.send('POST', '/execute?show-plan=true', program(all()));
      await db.send('POST', '/execute?dry-run=true', program(all()));
    }
    const { entries, misses, hits } = db.counters.relations;
    expect([entries, misses, hits]).toEqual([0, 0, 0]);
  });

  test('in a table that is renamed, grown or dropped is asked anew', async () => {
    await using db = await openTestDatabase('direct', schema);
    await db.send('POST', '/execute', writing('create', [[1, 1]]));
    await db.send('POST', '/execute', writing('create', [[1, 2]], 'u'));
    for (let i = 0; i < 4; i++) await query(db, all());
    const column = { name: 'm', type: 'int64', nullable: true };
    await db.send('POST', '/tables/t/columns', column);
    expect((await query(db, all())).text).toBe('[{"id":1,"n":1,"note":"é1","m":null}]');
    for (let i = 0; i < 4; i++) await query(db, all());
    await db.send('PATCH', '/tables/t', { name: 'v' });
    expect((await query(db, all())).status).toBe(422);
    await db.send('PATCH', '/tables/u', { name: 't' });
    expect((await query(db, all())).text).toBe('[{"id":1,"n":2,"note":"é2"}]');
    for (let i = 0; i < 4; i++) await query(db, all());
    await db.send('DELETE', '/tables/t');
    expect((await query(db, all())).status).toBe(422);
  });
});

describe('at the same time', () => {
  test('one execution serves all who ask the same', async () => {
    // So many take more than one turn.
    await using db = await open(8000);
    await post(db, all('t', 1));
    const ran = executions(db);
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(db, all())));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(executions(db)).toBe(ran + 1);
    expect(db.counters.relations.coalesced).toBe(19);
  });

  test('who has what is being made gets 304, and the others get it', async () => {
    await using db = await open();
    const tag = (await query(db, all())).headers.get('etag') as string;
    const ran = executions(db);
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) => query(db, all(), i % 2 ? { 'if-none-match': tag } : {})),
    );
    expect(replies.map(({ status }) => status)).toEqual(
      Array.from({ length: 12 }, (_, i) => (i % 2 ? 304 : 200)),
    );
    expect(executions(db) - ran).toBe(1);
  });

  test('what fails fails for each of them, with its own problem', async () => {
    await using db = await open();
    const one = { ...all(), root: { node: 'o', cardinality: 'exactly_one' } };
    await post(db, one);
    const replies = await Promise.all(Array.from({ length: 5 }, () => post(db, one)));
    for (const { status, json } of replies) {
      expect([status, json]).toEqual([
        422,
        expect.objectContaining({ reason: 'cardinality_violation' }),
      ]);
    }
  });

  test('whoever makes it and has to stop hands over', async () => {
    await using db = await open(4000);
    await post(db, all('t', 1));
    const late = { 'svc-deadline-ms': '1' };
    const first = db.send('POST', '/execute', program(all()), late);
    const others = Array.from({ length: 5 }, () => post(db, all()));
    const { status } = await first;
    expect([200, 422, 504, 503, 408]).toContain(status);
    for (const reply of await Promise.all(others)) {
      expect(reply.status).toBe(200);
      expect((reply.json as { result: unknown[] }).result).toHaveLength(4000);
    }
  });
});

describe('room', () => {
  test('scans of what is asked for once leave what is asked for often in place', async () => {
    await using first = await open();
    const db = databaseOver(first.engine, {
      bytesMax: 1 << 20,
      entriesMax: 4,
      resultBytesMax: 1 << 16,
    });
    for (let i = 0; i < 8; i++) for (let n = 0; n < 4; n++) await query(db, all('t', n));
    const { hits } = db.counters.relations;
    for (let n = 100; n < 300; n++) await query(db, all('t', n));
    for (let n = 0; n < 4; n++) await query(db, all('t', n));
    expect(db.counters.relations.hits).toBe(hits + 4);
    expect(db.counters.relations.evictedCapacity).toBe(0);
    // What becomes more wanted comes in.
    for (let i = 0; i < 40; i++) for (let n = 10; n < 14; n++) await query(db, all('t', n));
    expect(db.counters.relations.evictedCapacity).toBeGreaterThan(0);
    expect(db.counters.relations.entries).toBe(4);
  });

  test('answers are bounded, each and all together, and what they take is told', async () => {
    await using first = await open(2000);
    const limits = { bytesMax: 100_000, entriesMax: 100, resultBytesMax: 30_000 };
    const db = databaseOver(first.engine, limits);
    const { relations } = db.counters;
    for (let i = 0; i < 4; i++) await query(db, all('t', 0));
    expect([relations.entries, relations.bytes]).toEqual([0, 0]);
    expect(relations.refusedSize).toBeGreaterThan(0);
    for (let i = 0; i < 3; i++) {
      for (let n = 1400; n < 1420; n++) {
        await query(db, all('t', n));
        expect(relations.bytes).toBeLessThanOrEqual(limits.bytesMax);
      }
    }
    expect(relations.entries).toBeGreaterThan(2);
    await db.send('POST', '/execute', writing('update', [[1, 1]]));
    for (let n = 1400; n < 1420; n++) await query(db, all('t', n));
    expect(relations.entries * 1024).toBeLessThanOrEqual(relations.bytes);
    const off = databaseOver(first.engine, { ...limits, bytesMax: 0 });
    for (let i = 0; i < 5; i++) await query(off, all());
    expect(off.counters.relations).toMatchObject({ hits: 0, misses: 0, entries: 0 });
  });

  test('a large answer is kept whole', async () => {
    await using db = await open(6000);
    const whole = databaseOver(db.engine, {
      bytesMax: 1 << 26,
      entriesMax: 9,
      resultBytesMax: 1 << 25,
    });
    const texts = [];
    for (let i = 0; i < 4; i++) texts.push((await post(whole, all())).text);
    expect(new Set(texts).size).toBe(1);
    expect(whole.counters.relations.hits).toBe(1);
  });
});

/** Rows of `t` hold one number, which only grows: an answer shows all of them alike, and no less than what was acknowledged before it was asked for. */
async function staleAnswers(db: TestDatabase, rounds: number, seed: number): Promise<number> {
  const random = seededRandom(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  const rows = 3;
  let begun = 0;
  let acknowledged = 0;
  let wrong = 0;
  const grow = async () => {
    const n = ++begun;
    const body = writing(
      'update',
      Array.from({ length: rows }, (_, id) => [id, n] as const),
    );
    const { status } = await db.send('POST', '/execute', body);
    if (status === 200) acknowledged = Math.max(acknowledged, n);
  };
  const ask = async () => {
    const least = acknowledged;
    const spelling = all('t', -1 - below(2));
    const { status, text } = below(2) === 0 ? await query(db, spelling) : await post(db, spelling);
    if (status !== 200) throw new Error(text);
    const seen = [...text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n));
    const isWhole = seen.length === rows && seen.every((n) => n === seen[0]);
    if (!isWhole || (seen[0] as number) < least || (seen[0] as number) > begun) wrong++;
  };
  await grow();
  for (let round = 0; round < rounds; round++) {
    const work: Promise<void>[] = [];
    // One writer at a time: the numbers are committed in their order.
    if (below(2) === 0) work.push(grow());
    for (let i = 0; i < 6; i++) {
      work.push(ask());
      // Requests come in different turns.
      for (let turns = below(3); turns > 0; turns--) await new Promise(setImmediate);
    }
    await Promise.all(work);
  }
  expect(db.counters.relations.hits).toBeGreaterThan(rounds / 10);
  return wrong;
}

describe('an answer is never of a state that was over when it was asked for', () => {
  test('whatever is written meanwhile', async () => {
    await using db = await open(3);
    expect(await staleAnswers(db, 300, 1)).toBe(0);
    expect(db.counters.relations.coalesced).toBeGreaterThan(10);
    expect(db.counters.relations.evictedStale).toBeGreaterThan(10);
  });

  test('and one would be noticed', async () => {
    await using db = await open(3);
    const engine = db.engine;
    const stateOf = engine.stateOf.bind(engine);
    // Changes of rows are not looked at.
    engine.stateOf = (prepared) => {
      const state = stateOf(prepared);
      return state && { ...state, changes: state.changes.map(() => '') };
    };
    expect(await staleAnswers(databaseOver(engine), 60, 2)).toBeGreaterThan(0);
  });
});

test('a state is told from another one by the records of its tables and by their changes', () => {
  const [one, other] = [{}, {}] as never[];
  const state = { tables: [one as never], policies: undefined, changes: ['1.1'] };
  expect(
    isSameState(state, { tables: [one as never], policies: undefined, changes: ['1.1'] }),
  ).toBe(true);
  expect(
    isSameState(state, { tables: [other as never], policies: undefined, changes: ['1.1'] }),
  ).toBe(false);
  expect(
    isSameState(state, { tables: [one as never], policies: undefined, changes: ['1.2'] }),
  ).toBe(false);
  expect(isSameState(state, { tables: [], policies: undefined, changes: [] })).toBe(false);
});
