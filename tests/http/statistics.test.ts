/** `GET /statistics`: every member of its shapes comes from programs that make it, and the counters agree. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Engine } from '#engine';
import { openApiDocument } from '#wire';
import { manualWorld } from '../support/manual-world.ts';
import { openMemoryEngine, openTestHandler, type Send, testLimits } from './support.ts';

interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly nullable?: boolean;
  readonly format?: string;
}
type Shape = Readonly<Record<string, unknown>>;
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const { schemas } = openApiDocument()['components'] as {
  readonly schemas: Readonly<Record<string, Schema>>;
};
const limits = { ...testLimits, bodyBytesMax: 1 << 20, arrivingBytesMax: 1 << 24, depthMax: 64 };
const json = { 'content-type': 'application/json' };
const uuid = (i: number) => `00000000-0000-4000-8000-${`${i}`.padStart(12, '0')}`;

/** The clock goes on a little each time that somebody looks. */
function tickingWorld() {
  const world = manualWorld();
  let looks = 0;
  const monotonicMs = () => world.clock.monotonicMs() + ++looks / 16;
  return { ...world, clock: { unixMs: () => world.clock.unixMs(), monotonicMs } };
}

const world = tickingWorld();
let engine: Engine;
let send: Send;
let shown: Shape;

const rowsMax = 600;
const columns: readonly ColumnDefinition[] = [
  { name: 'a', type: 'int64' },
  { name: 'b', type: 'text' },
  { name: 'kind', type: 'int64', nullable: true },
  { name: 'at', type: 'int64' },
  { name: 'u', type: 'bytes', format: 'uuid' },
];

/** In documents identifiers are bytes. */
const cells = columns.map(({ name, type, nullable = false }) => ({ name, type, nullable }));

async function run(statements: readonly object[]): Promise<void> {
  const body = JSON.stringify({ statements });
  const { status, text } = await send('POST', '/execute', { body, headers: json });
  if (status !== 200) throw new Error(text);
}

const col = (column: string) => ({ kind: 'col', scope: 's', column });
const lit = (value: number) => ({ kind: 'lit', value: { type: 'int64', value: `${value}` } });

/** Those of a kind, by time. */
function some(kind: number, limit: number): object {
  const predicate = { kind: 'binary', op: 'eq', left: col('kind'), right: lit(kind) };
  const nodes = {
    s: { kind: 'scan', table: 't', scope: 's' },
    f: { kind: 'filter', input: 's', predicate },
    o: {
      kind: 'order',
      input: 'f',
      terms: [{ expr: col('at') }, { expr: col('a') }, { expr: col('b') }],
    },
    l: { kind: 'slice', input: 'o', limit },
  };
  const relation = { nodes, root: { node: 'l', cardinality: 'many' } };
  return { kind: 'query', name: 'q', relation };
}

function create(from: number, count: number): object {
  const rows = Array.from({ length: count }, (_, i) => {
    const n = from + i;
    // One of kind 7, a tenth without any.
    const kind = n === 77 ? '7' : n % 10 === 0 ? null : `${n % 3}`;
    return [
      `${n % 20}`,
      `b${n}`,
      kind,
      `${n}`,
      Buffer.from(uuid(n % 5).replaceAll('-', ''), 'hex').toString('base64'),
    ];
  });
  const nodes = { r: { kind: 'rows', scope: 'r', columns: cells, rows } };
  const relation = { nodes, root: { node: 'r', cardinality: 'many' } };
  return { kind: 'create', name: 'c', table: 't', relation };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 300; turn++) await new Promise(setImmediate);
}

async function statistics(): Promise<Shape> {
  const { status, json: body } = await send('GET', '/statistics');
  expect(status).toBe(200);
  return body;
}

beforeAll(async () => {
  engine = await openMemoryEngine('direct', world, { capturesCorpus: true });
  ({ send } = openTestHandler({ engine }, { limits }));
  const indexes = [{ name: 'at', columns: ['at', 'a', 'b'] }];
  const table = { name: 't', columns, primary_key: ['a', 'b'], indexes };
  await run([{ kind: 'create_table', name: 'm', table }]);
  for (let from = 0; from < rowsMax; from += 200) await run([create(from, 200)]);
  await run([some(0, 1)]);
  world.advance(50);
  await settled();
  // One row each, by two plans: in the order of the index up to the first, and by a sort.
  for (let i = 0; i < 8; i++) {
    await run([some(0, 1)]);
    await run([some(7, 1_000)]);
  }
  await run([create(rowsMax, 30)]);
  shown = await statistics();
});

afterAll(() => engine.close());

const listOf = (of: Shape | undefined, member: string) => (of?.[member] ?? []) as readonly Shape[];
const modelsOf = (body: Shape) => listOf(body, 'models');

describe('an answer', () => {
  test('has every member of every shape', () => {
    const missing: string[] = [];
    const look = (schema: Schema, values: readonly unknown[], path: string): void => {
      const resolved =
        schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').pop() as string];
      if (resolved?.items !== undefined) look(resolved.items, values.flat(), `${path}[]`);
      for (const [name, member] of Object.entries(resolved?.properties ?? {})) {
        const found = values
          .map((value) => (value as Shape)[name])
          .filter((it) => it !== undefined);
        if (found.length === 0) missing.push(`${path}.${name}`);
        else look(member, found, `${path}.${name}`);
      }
    };
    look({ $ref: '#/components/schemas/Statistics' }, [shown], '');
    // Requests are those to a remote store: tests/s3/statistics.test.ts has them.
    const remote = [
      'class',
      'observedRequests',
      'errors',
      'latencyMicros',
      'bytes',
      'sizeUpperBound',
      'concurrencyUpperBound',
      'serviceTier',
    ];
    // A reader alone tells of what it sends: tests/server/relay.test.ts.
    const sent = [
      'state',
      'sent',
      'abandoned',
      'rejected',
      'holding',
      'corpusSent',
      'corpusWithheld',
    ];
    expect(missing).toEqual([
      ...sent.map((name) => `.relay.${name}`),
      ...remote.map((name) => `.physicalCost.requests[].${name}`),
    ]);
  });

  test('tells of each statement how often it ran, with how many rows, how long and with what work', () => {
    const [limited] = modelsOf(shown).filter(
      ({ kind, planningValue }) => kind === 'statement' && planningValue !== undefined,
    );
    expect(limited).toMatchObject({
      family: expect.stringMatching(/^2-sha256-[0-9a-f]{32}$/),
      exactVariants: 2,
      frequency: 17,
      retainedExecutions: 17,
      executionsWithEstimate: 17,
      rowsMax: 1,
      resourceCost: { basis: 'logical_kv_work', puts: { maximum: 0 } },
    });
    const value = limited?.['planningValue'] as Shape;
    expect(value).toMatchObject({
      minimumExecutions: 3,
      frequency: 17,
      rowCountClassUpperBound: 1,
    });
    const { plans } = limited as { readonly plans?: readonly Shape[] };
    expect(plans?.length).toBe(2);
  });

  test('tells of creates that they write', () => {
    const creates = modelsOf(shown).filter(
      ({ kind, resourceCost }) =>
        kind === 'statement' && ((resourceCost as Shape)['puts'] as Shape)['maximum'] !== 0,
    );
    const wrote = creates.find(({ rowsMax: rows }) => rows === 200);
    expect(wrote).toMatchObject({
      retainedExecutions: 4,
      rowsP50UpperBound: 200,
      // A row, and its entry in the index.
      resourceCost: { observedExecutions: 3, puts: { maximum: 400 } },
    });
    expect(wrote?.['durationEwmaMicros']).toBeGreaterThan(0);
  });

  test('has no times and no work of relations', () => {
    const relations = modelsOf(shown).filter(({ kind }) => kind === 'relation');
    expect(relations.length).toBeGreaterThan(0);
    for (const relation of relations) {
      expect(relation['resourceCost']).toBe(undefined);
      expect(relation['durationEwmaMicros']).toBe(undefined);
    }
  });

  test('is sorted by what was measured most', () => {
    const executions = modelsOf(shown).map((model) => model['retainedExecutions'] as number);
    expect(executions).toEqual([...executions].sort((a, b) => b - a));
    expect(shown['trackedFamilies']).toBe(executions.length);
  });

  test('counts every execution', async () => {
    const before = await statistics();
    for (let i = 0; i < 5; i++) await run([some(i, 1)]);
    const after = await statistics();
    const sum = (body: Shape) => (body['absorbed'] as number) + (body['dropped'] as number);
    expect(sum(after) - sum(before)).toBe(5);
  });

  test('shows what a survey found, as the planner has it', () => {
    const [synopsis] = shown['synopses'] as readonly Shape[];
    expect(synopsis).toMatchObject({
      table: 1,
      observedRows: rowsMax,
      coverage: 'complete',
      sampleSize: rowsMax,
      changesSinceCollection: 30,
      catalogVersion: 1,
    });
    const [a, b, kind, , u] = listOf(synopsis, 'columns');
    expect(a).toMatchObject({ minimum: '0', maximum: '19', distinct: 20, distinctIsExact: true });
    expect(b).toMatchObject({ minimum: '"b0"', maximum: '"b99"' });
    expect(kind).toMatchObject({ nullCount: 60, nullFraction: 0.1, averageWidth: 8 });
    const [common] = listOf(kind, 'mostCommonValues');
    expect(common).toMatchObject({ value: expect.any(String), maximumError: 0 });
    expect(u).toMatchObject({ minimum: uuid(0), maximum: uuid(4), distinct: 5 });
    const [group] = listOf(synopsis, 'columnGroups');
    expect(group).toMatchObject({ columns: [1, 2], nullCount: 0, distinct: rowsMax });
  });

  test('is one for all who ask while it is made', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('GET', '/statistics')));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});

test('parameters are refused', async () => {
  const { status, json: problem } = await send('GET', '/statistics?limit=1');
  expect([status, problem['code']]).toEqual([400, 'invalid']);
});

test('a table that was made again has nothing of the one before', async () => {
  const other = await openMemoryEngine('direct', manualWorld());
  const { send: ask } = openTestHandler({ engine: other }, { limits });
  const nodes = {
    s: { kind: 'scan', table: 'x', scope: 's' },
    o: { kind: 'order', input: 's', terms: [{ expr: col('id') }] },
  };
  const relation = { nodes, root: { node: 'o', cardinality: 'many' } };
  const body = JSON.stringify({ statements: [{ kind: 'query', name: 'q', relation }] });
  const table = JSON.stringify({
    name: 'x',
    columns: [{ name: 'id', type: 'int64' }],
    primary_key: ['id'],
  });
  for (let turn = 0; turn < 2; turn++) {
    expect((await ask('POST', '/tables', { body: table, headers: json })).status).toBe(200);
    for (let i = 0; i <= turn; i++) await ask('POST', '/execute', { body, headers: json });
    const [model] = modelsOf((await ask('GET', '/statistics')).json);
    expect(model?.['retainedExecutions']).toBe(turn + 1);
    await ask('DELETE', '/tables/x');
  }
  await other.close();
});

test('a large answer takes its room of what is unsent: without room it is refused', async () => {
  const crowded = await openMemoryEngine();
  const pieces = new Array(24).fill('x'.repeat(64 << 10));
  Object.assign(crowded, { statisticsText: async () => pieces });
  // Of which there is a mebibyte.
  const { send: ask } = openTestHandler({ engine: crowded });
  const { status, json: problem } = await ask('GET', '/statistics');
  expect([status, problem['reason']]).toEqual([422, 'result_limit']);
});
