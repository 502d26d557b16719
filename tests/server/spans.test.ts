/** The spans of programs as a collector gets them: the whole tree under the trace of the caller, and nothing of a user's literals in it. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { OtlpCollector, type Span } from '../support/otlp-collector.ts';
import { startServerProcess } from '../support/server-process.ts';

const collector = new OtlpCollector();
const callerId = '00f067aa0ba902b7';
const planted = 'planted-7f3a91';
const plantedNumber = '918273645546372';

const int = (value: string | number) => ({
  kind: 'lit',
  value: { type: 'int64', value: String(value) },
});
const text = (value: string) => ({ kind: 'lit', value: { type: 'text', value } });
const column = (scope: string, name: string) => ({ kind: 'col', scope, column: name });

const rowsOf = (rows: readonly (readonly string[])[]) => ({
  nodes: {
    r: {
      kind: 'rows',
      scope: 'r',
      columns: [
        { name: 'id', type: 'int64' },
        { name: 'note', type: 'text' },
      ],
      rows,
    },
  },
  root: { node: 'r', cardinality: 'many' },
});

const notes = (of: string) => ({
  nodes: {
    s: { kind: 'scan', table: of, scope: 's' },
    f: {
      kind: 'filter',
      input: 's',
      predicate: {
        kind: 'binary',
        op: 'and',
        left: { kind: 'binary', op: 'ne', left: column('s', 'note'), right: text(planted) },
        right: { kind: 'binary', op: 'lt', left: column('s', 'id'), right: int(plantedNumber) },
      },
    },
    o: { kind: 'order', input: 'f', terms: [{ expr: column('s', 'note') }] },
  },
  root: { node: 'o', cardinality: 'many' },
});

const keys = {
  nodes: {
    ...notes('note').nodes,
    p: { kind: 'project', input: 'o', fields: [{ as: 'id', expr: column('s', 'id') }] },
  },
  root: { node: 'p', cardinality: 'many' },
};

const overflow = {
  kind: 'binary',
  op: 'add',
  left: column('s', 'id'),
  right: int('9223372036854775807'),
};
const overflowing = {
  statements: [
    {
      kind: 'query',
      name: 'overflowing',
      relation: {
        nodes: {
          s: { kind: 'scan', table: 'note', scope: 's' },
          f: {
            kind: 'filter',
            input: 's',
            predicate: { kind: 'binary', op: 'gt', left: overflow, right: int(0) },
          },
          o: { kind: 'order', input: 'f', terms: [{ expr: column('s', 'id') }] },
        },
        root: { node: 'o', cardinality: 'many' },
      },
    },
  ],
};

const column1 = { name: 'id', type: 'int64' };

/** A book refers to its author twice over; nothing finds the books of an author but a scan. */
const library = {
  statements: [
    {
      kind: 'create_table',
      name: 'authors',
      table: { name: 'author', columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] },
    },
    {
      kind: 'create_table',
      name: 'books',
      table: {
        name: 'book',
        columns: [
          column1,
          { name: 'author', type: 'int64', nullable: true },
          { name: 'editor', type: 'int64', nullable: true },
        ],
        primary_key: ['id'],
        foreign_keys: ['author', 'editor'].map((column) => ({
          name: `book_${column}`,
          columns: [column],
          ref_table: 'author',
          ref_columns: ['id'],
          on_delete: 'restrict',
        })),
      },
    },
  ],
};
const numbers = (names: readonly string[], rows: readonly (readonly (string | null)[])[]) => ({
  nodes: {
    r: {
      kind: 'rows',
      scope: 'r',
      columns: names.map((name) => ({ name, type: 'int64', nullable: name !== 'id' })),
      rows,
    },
  },
  root: { node: 'r', cardinality: 'many' },
});

const write = (kind: 'create' | 'delete', table: string, ...rows: Parameters<typeof numbers>) => ({
  statements: [{ kind, name: 'written', table, relation: numbers(...rows) }],
});
const bookColumns = ['id', 'author', 'editor'];
const books = [
  ['1', '1', '1'],
  ['2', '1', '2'],
  ['3', null, '1'],
];
const stray = ['4', '1', '9'];

/** The n-th trace of a caller. */
const traceOf = (n: number) => `4bf92f3577b34da6a3ce929d0e0e47${String(n).padStart(2, '0')}`;

const table = {
  name: 'note',
  columns: [column1, { name: 'note', type: 'text', nullable: true }],
  primary_key: ['id'],
};

const three = {
  statements: [
    {
      kind: 'create',
      name: 'made',
      table: 'note',
      relation: rowsOf([
        ['1', planted],
        ['2', 'b'],
      ]),
    },
    { kind: 'query', name: 'read', relation: notes('note') },
    { kind: 'delete', name: 'gone', table: 'note', relation: keys },
  ],
  result: 'read',
};

const again = {
  statements: [
    { kind: 'create', name: 'twice', table: 'note', relation: rowsOf([['1', planted]]) },
  ],
};
const reads = (n: number) => ({
  result: 'q0',
  statements: Array.from({ length: n }, (_, i) => ({
    kind: 'query',
    name: `q${i}`,
    relation: notes('note'),
  })),
});

/** By trace; a stop hands out everything that has ended. */
const traces = new Map<string, readonly Span[]>();
beforeAll(async () => {
  const flags = ['--storage', 'memory', '--otel-endpoint', collector.endpoint];
  // Only what says that it is traced.
  const env = { OTEL_TRACES_SAMPLER: 'parentbased_always_off' };
  const server = await startServerProcess(flags, { env });
  const send = async (
    path: string,
    body: object,
    n?: number,
    more: Record<string, string> = {},
  ) => {
    const traced = { traceparent: `00-${traceOf(n ?? 0)}-${callerId}-01`, tracestate: 'k=v' };
    const answer = await fetch(server.url + path, {
      method: more['method'] ?? 'POST',
      headers: { 'content-type': 'application/json', ...(n !== undefined && traced), ...more },
      body: JSON.stringify(body),
    });
    await answer.text();
    return answer.status;
  };
  expect(await send('/tables', table)).toBe(200);
  expect(await send('/execute', three, 1)).toBe(200);
  expect(await send('/execute', again, 2)).toBe(422);
  // Known by its text by now, from requests that were traced and not.
  expect(await send('/execute', reads(1))).toBe(200);
  expect(await send('/execute', reads(1), 3)).toBe(200);
  expect(await send('/execute', reads(1), 4)).toBe(200);
  expect(await send('/execute', reads(900), 5)).toBe(200);
  const query = { method: 'QUERY', 'content-type': 'application/vnd.svc.lir+json' };
  expect(await send('/execute', notes('note'), 6, query)).toBe(200);
  expect(await send('/execute', { statements: [{ kind: planted }] }, 7)).toBe(400);
  expect(await send('/execute?dry-run=true', three, 8)).toBe(200);
  expect(await send('/execute', overflowing, 9)).toBe(422);
  expect(await send('/execute', library)).toBe(200);
  expect(await send('/execute', write('create', 'author', ['id'], [['1'], ['2'], ['3']]))).toBe(
    200,
  );
  expect(await send('/execute', write('create', 'book', bookColumns, books), 10)).toBe(200);
  expect(await send('/execute', write('create', 'book', bookColumns, [stray]), 11)).toBe(422);
  expect(await send('/execute', write('delete', 'author', ['id'], [['3']]), 12)).toBe(200);
  expect(await send('/execute', write('delete', 'author', ['id'], [['2']]), 13)).toBe(422);
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  for (const span of collector.takeSpans()) {
    traces.set(span.traceId, [...(traces.get(span.traceId) ?? []), span]);
  }
}, 30_000);
afterAll(() => collector.stop());

const spansOf = (n: number) => traces.get(traceOf(n)) ?? [];
const named = (n: number, name: string) => spansOf(n).filter((span) => span.name === name);

interface Tree {
  readonly [name: string]: Tree;
}

/** Names below a span; those of siblings with one name are told apart by a number. */
function treeBelow(spans: readonly Span[], parentId: string): Tree {
  const below = spans.filter(({ parentSpanId }) => parentSpanId === parentId);
  return Object.fromEntries(
    below.map(({ name, spanId }, i) => [`${i} ${name}`, treeBelow(spans, spanId)]),
  );
}

test('a program of three statements: the whole tree is in the trace of the caller', () => {
  const spans = spansOf(1);
  const request = named(1, 'http.request')[0] as Span;
  expect([request.traceState, request.kind]).toEqual(['k=v', 2]);
  expect(treeBelow(spans, callerId)).toEqual({
    '0 http.request': {
      '0 svc.program.execute': {
        '0 svc.transaction': {
          // Rows that come with the program go without operators.
          '0 svc.statement.execute': {},
          '1 svc.statement.execute': {
            '0 svc.operator.sort': { '0 svc.operator.filter': { '0 svc.operator.scan': {} } },
          },
          '2 svc.statement.execute': {
            '0 svc.operator.project': { '0 svc.operator.filter': { '0 svc.operator.scan': {} } },
          },
        },
      },
    },
  });
  for (const { parentSpanId, beganNs, endedNs, name } of spans) {
    const parent = spans.find(({ spanId }) => spanId === parentSpanId);
    if (parent === undefined) expect(name).toBe('http.request');
    else
      expect([name, beganNs >= parent.beganNs, endedNs <= parent.endedNs]).toEqual([
        name,
        true,
        true,
      ]);
  }
});

test('every span tells what it is about', () => {
  const [program] = named(1, 'svc.program.execute') as [Span];
  const sha = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
  expect(program.attributes).toEqual({
    request_id: named(1, 'http.request')[0]?.attributes['request_id'] as string,
    'svc.transport': 'http',
    'svc.program.fingerprint': sha,
    'svc.program.statement_count': 3,
    'svc.program.mutation_statement_count': 2,
    'svc.program.dry_run': false,
    'svc.program.result_rows': 1,
    'svc.program.affected_rows': 4,
    'svc.program.bind_duration_us': expect.any(Number),
    'svc.status': 'success',
  });
  expect(named(1, 'svc.transaction')[0]?.attributes).toEqual({
    transaction_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    'svc.transaction.outcome': 'commit',
    'svc.status': 'success',
  });
  const [made, read] = named(1, 'svc.statement.execute') as [Span, Span];
  expect(made.attributes).toMatchObject({
    'svc.statement.kind': 'create',
    'svc.statement.source': 'executed',
    'svc.statement.fingerprint': sha,
    'svc.statement.plan_fingerprint': sha,
    'svc.statement.result_rows': 0,
    'svc.statement.affected_rows': 2,
    'svc.kv.puts': 2,
    'svc.kv.deletes': 0,
  });
  expect(read.attributes).toMatchObject({
    'svc.statement.kind': 'query',
    'svc.statement.result_rows': 1,
    'svc.kv.scans': 1,
  });
  expect(read.events.map(({ name }) => name)).toEqual([
    'storage.cache',
    'storage.cache',
    'storage.request',
    'operator.completed',
    'operator.completed',
    'operator.completed',
  ]);
  expect(read.events[3]?.attributes).toMatchObject({
    operator: expect.any(String),
    outputRows: expect.any(Number),
  });
  const [scan] = named(1, 'svc.operator.scan') as [Span];
  expect(scan.attributes).toEqual({
    'svc.operator.name': 'scan',
    'svc.operator.id': expect.any(Number),
    'svc.operator.relation_fingerprint': sha,
    'svc.operator.active_duration_us': expect.any(Number),
    'svc.operator.calls': expect.any(Number),
    'svc.operator.output_rows': expect.any(Number),
    'svc.operator.complete': true,
    'svc.operator.status': 'success',
    'svc.status': 'success',
  });
});

test('a program that fails: all spans on the way down have the status, and say why', () => {
  const failed = spansOf(2).filter(({ status }) => status === 2);
  expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['svc.program.execute', 'constraint_violation'],
    ['svc.transaction', 'constraint_violation'],
    ['svc.statement.execute', 'constraint_violation'],
  ]);
  expect(named(2, 'svc.transaction')[0]?.attributes['svc.transaction.outcome']).toBe('rollback');
  for (const { attributes, status } of spansOf(2)) {
    expect(attributes['svc.status'] === 'error').toBe(status === 2);
  }
});

test('an operator that fails has the status, and so has everything above it', () => {
  const failed = spansOf(9).filter(({ status }) => status === 2);
  expect(failed.some(({ name }) => name.startsWith('svc.operator.'))).toBe(true);
  const ids = new Set(failed.map(({ spanId }) => spanId));
  const top = named(9, 'http.request')[0]?.spanId as string;
  for (const { name, parentSpanId, attributes } of failed) {
    const isBelow = parentSpanId === top || ids.has(parentSpanId);
    expect([name, isBelow, attributes['error.type']]).toEqual([name, true, 'numeric_overflow']);
  }
});

test('a program that is known by its text is told as one that is not', () => {
  const facts = [3, 4].map((n) => {
    const all = [...named(n, 'svc.program.execute'), ...named(n, 'svc.statement.execute')];
    return all.map(({ attributes }) => [
      attributes['svc.program.fingerprint'],
      attributes['svc.statement.fingerprint'],
      attributes['svc.statement.plan_fingerprint'],
    ]);
  });
  expect(facts[1]).toEqual(facts[0] as never);
  expect(facts[0]?.flat().filter((one) => one !== undefined)).toHaveLength(3);
  expect(named(3, 'svc.transaction')).toEqual([]);
});

test('of a program of 900 statements 512 spans are told, whole statements only', () => {
  const spans = spansOf(5);
  expect(spans.length).toBeLessThanOrEqual(513);
  expect(named(5, 'svc.statement.execute').length).toBeGreaterThan(100);
  for (const { spanId, name } of spans.filter((one) => one.name === 'svc.statement.execute')) {
    expect([name, Object.keys(treeBelow(spans, spanId)).length]).toEqual([name, 1]);
  }
});

test('a query alone, a program that is not one, a dry run', () => {
  expect(named(6, 'svc.statement.execute')).toHaveLength(1);
  expect(named(6, 'svc.program.execute')[0]?.attributes['svc.program.fingerprint']).toBeDefined();
  expect(spansOf(7).map(({ name, status }) => [name, status])).toEqual([
    ['svc.program.execute', 2],
    ['http.request', 0],
  ]);
  expect(named(8, 'svc.statement.execute')).toEqual([]);
  expect(named(8, 'svc.program.execute')[0]?.attributes['svc.program.dry_run']).toBe(true);
});

test('a statement that asks about foreign keys: one span of the check, by the key that has failed', () => {
  const check = 'svc.constraint.reference_check';
  const told = (n: number) => {
    const [span, ...others] = named(n, check);
    expect(others).toEqual([]);
    const [statement] = named(n, 'svc.statement.execute') as [Span];
    expect(span?.parentSpanId).toBe(statement.spanId);
    expect(span && span.endedNs <= statement.endedNs).toBe(true);
    return span?.attributes as object;
  };
  const facts = {
    'svc.constraint.kind': 'foreign_key_reference',
    'svc.constraint.table': 'book',
    'svc.constraint.column_count': 1,
    'svc.constraint.checks': 2,
  };
  const good = { 'svc.status': 'success' };
  const refused = { 'svc.status': 'error', 'error.type': 'constraint_violation' };
  const byKey = { 'svc.constraint.access_path': 'primary_key' };
  const byScan = { 'svc.constraint.access_path': 'scan' };
  const found = (rows: number, matchFound: boolean) => ({
    'svc.constraint.rows_examined': rows,
    'svc.constraint.match_found': matchFound,
  });
  // One author is named by all books, two are editors.
  expect([
    { ...facts, ...good, ...byKey, ...found(1, true) },
    { ...facts, ...good, ...byKey, ...found(2, true) },
  ] as object[]).toContainEqual(told(10));
  expect(told(11)).toEqual({ ...facts, ...refused, ...byKey, ...found(1, false) });
  expect(told(12)).toEqual({ ...facts, ...good, ...byScan, ...found(3, false) });
  expect(told(13)).toEqual({ ...facts, ...refused, ...byScan, ...found(2, true) });
  for (const n of [1, 3, 9]) expect(named(n, check)).toEqual([]);
});

describe('spans do not hold', () => {
  const all = () =>
    JSON.stringify([...traces.values()], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  test.each([planted, plantedNumber])('the literal %s', (literal) => {
    expect(all()).not.toContain(literal);
  });
});
