/** Nested rows that are read for several enclosing rows at once, after other statements of the program have written: from memory, and from blocks of columns. */

import { afterAll, expect, test } from 'bun:test';
import type { Engine } from '#engine';
import type { PlanOptions } from '#planner';
import type { StoreTuning } from '#storage';
import { encodeResult } from '#value';
import { checkProgram } from '#wire';
import { memoryEngine } from './support/memory-engine.ts';

const options = { showPlan: false, dryRun: false };
const posts = {
  name: 'post',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'author', type: 'int64', nullable: true },
  ],
  primary_key: ['id'],
};
const comments = {
  name: 'comment',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'post', type: 'int64', nullable: true },
    { name: 'body', type: 'text' },
  ],
  primary_key: ['id'],
  indexes: [{ name: 'by_post', columns: ['post'] }],
};

/** Every commit becomes a table, and blocks are small. */
const columns: StoreTuning = {
  memtableBytes: 1,
  blockBytes: 400,
  filterKeysMin: 0,
  flushedTablesMax: 2,
  flushedTablesPerKeyMax: 2,
};

async function opened(tuning: StoreTuning, without?: PlanOptions['without']): Promise<Engine> {
  const engine = await memoryEngine({
    tuning,
    planning: { accessPaths: 'all', crossings: 'spooled', ...(without && { without }) },
  });
  await run(engine, [
    { kind: 'create_table', name: 'p', table: posts },
    { kind: 'create_table', name: 'c', table: comments },
  ]);
  const post = (id: number) => [String(id), id % 7 === 0 ? null : String(id % 11)];
  await run(engine, [write('create', posts, range(150).map(post))]);
  // Of a post up to 24 comments, far from each other; each batch is a commit of its own.
  for (let from = 0; from < 900; from += 300) {
    const rows = range(300).map((i) => commentOf(from + i));
    await run(engine, [write('create', comments, rows)]);
  }
  await run(engine, [
    write(
      'update',
      comments,
      range(40).map((i) => [String(i * 9), '3', 'moved']),
    ),
  ]);
  await run(engine, [
    write(
      'delete',
      comments,
      range(30).map((i) => [String(i * 13)]),
    ),
  ]);
  return engine;
}

const range = (count: number) => Array.from({ length: count }, (_, i) => i);

function commentOf(id: number): (string | null)[] {
  const post = (id * 7919) % 160;
  return [String(id), id % 17 === 0 ? null : String(post < 20 ? post % 4 : post), `text ${id}`];
}

function write(
  kind: 'create' | 'update' | 'delete',
  table: typeof posts | typeof comments,
  rows: readonly (string | null)[][],
): object {
  const cells = kind === 'delete' ? table.columns.slice(0, 1) : table.columns;
  const node = { kind: 'rows', scope: 'r', columns: cells, rows };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return { kind, name: `${kind}_${table.name}`, table: table.name, relation };
}

async function run(engine: Engine, statements: readonly object[]): Promise<void> {
  await engine.execute({ program: () => checkProgram({ statements }), ...options });
}

const col = (scope: string, column: string) => ({ kind: 'col', scope, column });
const same = (left: object, right: object) => ({ kind: 'binary', op: 'eq', left, right });

/** Posts, each with comments of its own and with those of the author's number. */
function nested(desc: boolean, limit: number): object {
  const inner = (name: string, of: object) => ({
    [`${name}s`]: { kind: 'scan', table: 'comment', scope: name },
    [`${name}f`]: { kind: 'filter', input: `${name}s`, predicate: same(col(name, 'post'), of) },
    [`${name}o`]: {
      kind: 'order',
      input: `${name}f`,
      terms: [{ expr: col(name, 'id'), desc }],
    },
    [`${name}l`]: { kind: 'slice', input: `${name}o`, limit },
  });
  const nodes = {
    ...inner('own', col('p', 'id')),
    ...inner('his', col('p', 'author')),
    ...inner('one', col('p', 'id')),
    s: { kind: 'scan', table: 'post', scope: 'p' },
    o: { kind: 'order', input: 's', terms: [{ expr: col('p', 'id') }] },
    x: {
      kind: 'project',
      input: 'o',
      fields: [
        { as: 'id', expr: col('p', 'id') },
        { as: 'own', expr: { kind: 'array', node: 'ownl' } },
        { as: 'his', expr: { kind: 'array', node: 'hisl' } },
        { as: 'first', expr: { kind: 'first', node: 'onel' } },
      ],
    },
  };
  return {
    kind: 'query',
    name: 'q',
    relation: { nodes, root: { node: 'x', cardinality: 'many' } },
  };
}

const engines = [
  opened({}),
  opened({}, ['rows_ahead']),
  opened(columns),
  opened(columns, ['rows_ahead']),
];
afterAll(async () => {
  for (const engine of engines) await (await engine).close();
});

const shapes = [1, 3, 16, 17, 500].flatMap((limit) => [
  { limit, desc: false },
  { limit, desc: true },
]);

/** What a program writes before it asks: rows of posts that others have rows of, and changes of rows that no other program changes. */
function written(turn: number): readonly object[] {
  const own = range(90)
    .map((i) => turn * 90 + i)
    .filter((id) => id % 13 !== 0)
    .map(String);
  const fresh = range(60).map((i) => [String(9_000 - turn * 60 - i), String(i % 6), `new ${i}`]);
  return [
    write('create', comments, fresh),
    write(
      'update',
      comments,
      own.slice(0, 30).map((id, i) => [id, i % 5 === 0 ? null : String(i % 5), 'other']),
    ),
    write(
      'delete',
      comments,
      own.slice(30, 50).map((id) => [id]),
    ),
  ];
}

async function answersOf(statements: readonly object[]): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const engine of engines) {
    const program = checkProgram({ statements, result: 'q' });
    const { result } = await (await engine).execute({ program: () => program, ...options });
    if (result === undefined) throw new Error('the program has a result');
    answers.push(encodeResult(result.columns, result.rows, result.cardinality));
  }
  return answers;
}

test.each(shapes.map((shape, turn) => ({ ...shape, turn })))(
  'at most $limit, descending: $desc',
  async ({ limit, desc, turn }) => {
    const question = nested(desc, limit);
    for (const statements of [[question], [...written(turn), question], [question]]) {
      const answers = await answersOf(statements);
      expect(answers[0]?.length).toBeGreaterThan(10_000);
      expect(new Set(answers).size).toBe(1);
    }
  },
);

test('the plans differ in what they read ahead', async () => {
  const plans = await Promise.all(
    engines.slice(0, 2).map(async (engine) => {
      const program = { statements: [nested(false, 3)] };
      const shown = { showPlan: true, dryRun: false };
      return JSON.stringify(
        (await (await engine).execute({ program: () => checkProgram(program), ...shown })).plan,
      );
    }),
  );
  expect(plans.map((plan) => plan.includes('rows of each read ahead'))).toEqual([true, false]);
});
