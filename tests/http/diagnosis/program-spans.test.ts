/** The spans of a traced program: which there are, below which, from when to when, and what went wrong in them. */

import { describe, expect, test } from 'bun:test';
import { tellProgram } from '../../../src/http/program/diagnosis/program-spans.ts';

type Trace = Parameters<typeof tellProgram>[0];
type Facts = Parameters<typeof tellProgram>[1];
type Work = Parameters<Trace['tell']>[0];

interface Span extends Omit<Work, 'attributes'> {
  readonly above: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
}

function told(facts: Partial<Record<keyof Facts, unknown>>): readonly Span[] {
  const spans: Span[] = [];
  const names: string[] = [];
  const tell = (work: Work, above?: number) => {
    spans.push({ ...(work as Span), above: above === undefined ? undefined : names[above] });
    names.push(`${work.name} ${names.length}`);
    return names.length - 1;
  };
  const trace = { requestId: 'r', tell } as unknown as Trace;
  tellProgram(trace, {
    ...{ beganMs: 10, endedMs: 50, transactionId: 't', identity: undefined, evidence: undefined },
    ...{ planFingerprints: new Map(), isDry: false, isRecalled: false },
    ...{ resultRows: 0, affectedRows: 0, errorType: undefined },
    ...facts,
  } as Facts);
  return spans;
}

const statement = (name: string, kind: string, isMutation: boolean, fingerprint?: string) => ({
  ...{ name, kind, isMutation, text: '', fingerprint },
});

/** Name, the span above, times, and what went wrong. */
const shown = ({ name, above, beganMs, endedMs, errorType }: Span) => [
  ...[name, above, beganMs, endedMs, errorType],
];

const ran = (kind: string, more: object = {}) => ({
  plan: { kind, name: `${kind}1`, query: { family: 'f' } },
  operators: { records: [], dropped: 0, rootsMs: 0 },
  scans: { scans: [], dropped: 0 },
  references: undefined,
  ...{ beganMs: 20, affected: 3, ms: 5, isOver: true },
  storage: {
    ...{ memoryHits: 1, memoryMisses: 2, localHits: 3, localMisses: 4 },
    ...{ backingReads: 5, backingBytes: 6, backingMs: 7 },
  },
  kv: { gets: 1, puts: 2, deletes: 3, scans: 4, bytesRead: 5, bytesWritten: 6 },
  ...more,
});

const evidence = (statements: readonly object[], transactions: readonly object[] = []) => ({
  ...{ planningMs: 2, statements, transactions },
});

describe('a program', () => {
  test('is one span where nothing else is known of it', () => {
    expect(told({ errorType: 'invalid' })).toEqual([
      {
        ...{ name: 'svc.program.execute', above: undefined, beganMs: 10, endedMs: 50 },
        errorType: 'invalid',
        attributes: {
          request_id: 'r',
          'svc.transport': 'http',
          'svc.program.statement_count': 0,
          'svc.program.mutation_statement_count': 0,
          'svc.program.dry_run': false,
          'svc.program.result_rows': 0,
          'svc.program.affected_rows': 0,
          'svc.program.bind_duration_us': 0,
        },
      },
    ]);
  });

  test('has its counts and its fingerprint', () => {
    const statements = [
      statement('a', 'query', false),
      statement('b', 'create', true),
      statement('c', 'delete', true),
    ];
    const [program] = told({
      ...{
        identity: { statements, fingerprint: 'f' },
        isDry: true,
        resultRows: 4,
        affectedRows: 7,
      },
      evidence: evidence([]),
    });
    expect(program?.attributes).toMatchObject({
      'svc.program.fingerprint': 'f',
      'svc.program.statement_count': 3,
      'svc.program.mutation_statement_count': 2,
      'svc.program.dry_run': true,
      'svc.program.result_rows': 4,
      'svc.program.affected_rows': 7,
      'svc.program.bind_duration_us': 2_000,
    });
  });

  test('whose answer was made for others has statements that were not executed', () => {
    const statements = [statement('a', 'query', false, 'fa'), statement('b', 'query', false)];
    const identity = { statements, fingerprint: 'f' };
    const [, ...spans] = told({ identity, isRecalled: true });
    expect(spans.map(shown)).toEqual(
      Array(2).fill(['svc.statement.execute', 'svc.program.execute 0', 10, 50, undefined]),
    );
    expect(spans.map(({ attributes }) => attributes)).toEqual([
      {
        'svc.statement.kind': 'query',
        'svc.statement.source': 'relation_cache',
        'svc.statement.fingerprint': 'fa',
      },
      { 'svc.statement.kind': 'query', 'svc.statement.source': 'relation_cache' },
    ]);
    expect(told({ identity })).toHaveLength(1);
  });

  test('has a span for each attempt to commit, and its statements below the last', () => {
    const attempts = [
      { beganMs: 12, endedMs: 14, end: 'abandoned' },
      { beganMs: 19, endedMs: 19, end: 'rollback' },
      { beganMs: 19, endedMs: 25, end: 'commit' },
    ];
    const [, ...spans] = told({ evidence: evidence([ran('create')], attempts) });
    expect(spans.map(shown)).toEqual([
      ['svc.transaction', 'svc.program.execute 0', 12, 14, 'serializable_conflict'],
      ['svc.transaction', 'svc.program.execute 0', 19, 19, 'serializable_conflict'],
      ['svc.transaction', 'svc.program.execute 0', 19, 25, undefined],
      ['svc.statement.execute', 'svc.transaction 3', 20, 25, undefined],
    ]);
    expect(spans.slice(0, 3).map(({ attributes }) => attributes)).toEqual(
      ['abandoned', 'rollback', 'commit'].map((end) => ({
        transaction_id: 't',
        'svc.transaction.outcome': end,
      })),
    );
  });

  test.each([
    ['invalid', 'rollback', 'invalid'],
    [undefined, 'rollback', 'rollback'],
    [undefined, 'abandoned', 'abandoned'],
  ])('that ends by %p has it at its last attempt, a %s', (errorType, end, expected) => {
    const [, attempt] = told({
      errorType,
      evidence: evidence([], [{ beganMs: 12, endedMs: 14, end }]),
    });
    expect(attempt?.errorType).toBe(expected);
  });
});

describe('a statement', () => {
  const identity = { statements: [statement('query1', 'query', false, 'fq')], fingerprint: 'f' };

  test('has its rows, its plan, its time and its work', () => {
    const planFingerprints = new Map([['query1', 'pq']]);
    const [, span] = told({ identity, planFingerprints, evidence: evidence([ran('query')]) });
    expect(span?.attributes).toEqual({
      'svc.statement.kind': 'query',
      'svc.statement.source': 'executed',
      'svc.statement.fingerprint': 'fq',
      'svc.statement.plan_fingerprint': 'pq',
      'svc.statement.result_rows': 3,
      'svc.statement.affected_rows': 3,
      'svc.statement.bind_duration_us': 2_000,
      'svc.statement.execution_duration_us': 5_000,
      'svc.kv.gets': 1,
      'svc.kv.puts': 2,
      'svc.kv.deletes': 3,
      'svc.kv.scans': 4,
      'svc.kv.bytes_read': 5,
      'svc.kv.bytes_written': 6,
    });
    expect(span?.events).toEqual([
      { name: 'storage.cache', attributes: { tier: 'memory', hits: 1, misses: 2 } },
      { name: 'storage.cache', attributes: { tier: 'local', hits: 3, misses: 4 } },
      { name: 'storage.request', attributes: { calls: 5, bytes: 6, micros: 7_000 } },
    ]);
  });

  test('of which nothing is known is what its plan is, and returns no rows where it changes some', () => {
    const statements = [ran('update'), ran('delete', { operators: { records: [], dropped: 2 } })];
    const [, first, second] = told({ evidence: evidence(statements) });
    expect(first?.attributes).toMatchObject({
      'svc.statement.kind': 'update',
      'svc.statement.result_rows': 0,
      'svc.statement.affected_rows': 3,
    });
    expect(first?.attributes).not.toHaveProperty('svc.statement.operators_dropped');
    expect(first?.attributes).not.toHaveProperty('svc.statement.bind_duration_us');
    expect(second?.attributes).toMatchObject({ 'svc.statement.operators_dropped': 2 });
  });

  test.each([
    ['result_limit', 'result_limit'],
    [undefined, 'abandoned'],
  ])('that did not end goes on to the end of the program: %p', (errorType, expected) => {
    const unfinished = ran('query', { isOver: false, affected: undefined });
    const [, span] = told({ errorType, evidence: evidence([unfinished]) });
    expect(shown(span as Span)).toEqual([
      'svc.statement.execute',
      'svc.program.execute 0',
      ...[20, 50, expected],
    ]);
    expect(span?.attributes).toMatchObject({
      'svc.statement.result_rows': 0,
      'svc.statement.execution_duration_us': 30_000,
    });
  });

  const check = (more: object) => ({
    table: 'users',
    ...{ foreignKey: { columns: [2, 3] }, accessPath: 'primary_key', rowsExamined: 8 },
    ...{ matchFound: true, beganMs: 21, ms: 2, isOver: true, hasRefused: false },
    ...more,
  });
  const checked = (...checks: readonly object[]) =>
    evidence([ran('create', { references: { checks } })]);

  test('tells of the check of a foreign key that took longest', () => {
    const spans = told({
      evidence: checked(check({ ms: 1 }), check({ table: 'slow', ms: 4 }), check({})),
    });
    expect(shown(spans[2] as Span)).toEqual([
      'svc.constraint.reference_check',
      'svc.statement.execute 1',
      ...[21, 25, undefined],
    ]);
    expect(spans[2]?.attributes).toEqual({
      'svc.constraint.kind': 'foreign_key_reference',
      'svc.constraint.table': 'slow',
      'svc.constraint.column_count': 2,
      'svc.constraint.access_path': 'primary_key',
      'svc.constraint.rows_examined': 8,
      'svc.constraint.match_found': true,
      'svc.constraint.checks': 3,
    });
  });

  test.each([
    ['refused', { hasRefused: true }, 'constraint_violation', 23, 'constraint_violation'],
    ['did not end', { isOver: false, matchFound: undefined }, undefined, 50, 'abandoned'],
  ])('tells of the check that %s, before a longer one', (_, more, errorType, endedMs, expected) => {
    const spans = told({ errorType, evidence: checked(check({ ms: 9 }), check(more)) });
    expect(shown(spans[2] as Span).slice(2)).toEqual([21, endedMs, expected]);
  });

  test('without checks tells of none', () => {
    expect(told({ evidence: checked() })).toHaveLength(2);
  });
});

describe('operators', () => {
  const site = (id: string, ...inputs: readonly object[]) => ({
    ...{ id, operator: id, inputs, rowsIn: 6, rowsOut: 4, index: undefined },
  });
  const record = (of: ReturnType<typeof site>, more: object = {}) => ({
    site: of,
    ...{ part: undefined, parent: undefined, opens: 1, calls: 2, firstMs: 22, lastMs: 24 },
    ...{ hasFailed: false, openMs: 0, inclusiveMs: 3, belowMs: 1, isComplete: true },
    ...{ entries: 9, gets: 0, getsAtOnceMax: 0 },
    ...more,
  });
  const scan = site('scan');
  const filter = site('filter', scan);
  const spansOf = (...records: readonly object[]) =>
    told({ evidence: evidence([ran('query', { operators: { records, dropped: 0 } })]) });

  test('lie below those that read them, whatever comes first', () => {
    const top = record(filter);
    const spans = spansOf(record(scan, { parent: top }), top).slice(2);
    expect(spans.map(shown)).toEqual([
      ['svc.operator.filter', 'svc.statement.execute 1', 22, 24, undefined],
      ['svc.operator.scan', 'svc.operator.filter 2', 22, 24, undefined],
    ]);
    expect(spans[0]?.attributes).toEqual({
      'svc.operator.name': 'filter',
      'svc.operator.id': 'filter',
      'svc.operator.active_duration_us': 3_000,
      'svc.operator.calls': 2,
      'svc.operator.output_rows': 4,
      'svc.operator.complete': true,
      'svc.operator.status': 'success',
    });
    // Where nobody has asked, the plan says who would have.
    expect(spansOf(record(scan), record(filter)).slice(2).map(shown)).toEqual(spans.map(shown));
  });

  test('that failed say so, and one that never was at work has no time', () => {
    const failed = record(scan, { hasFailed: true, isComplete: false });
    const idle = record(filter, { firstMs: undefined, lastMs: 0 });
    const spans = spansOf(failed, idle).slice(2);
    expect(spans.map(shown)).toEqual([
      ['svc.operator.filter', 'svc.statement.execute 1', 20, 20, undefined],
      ['svc.operator.scan', 'svc.operator.filter 2', 22, 24, 'abandoned'],
    ]);
    expect(spans[1]?.attributes).toMatchObject({
      'svc.operator.complete': false,
      'svc.operator.status': 'error',
    });
  });

  test('that ended are events of their statement, the first 96', () => {
    const some = [record(filter), record(scan, { isComplete: false })];
    const eventsOf = (...records: readonly object[]) =>
      (spansOf(...records)[1]?.events ?? []).filter(({ name }) => name === 'operator.completed');
    expect(eventsOf(...some)).toMatchObject([
      {
        attributes: {
          operatorId: 'filter',
          inputRows: 6,
          inputComplete: false,
          exclusiveMicros: 2_000,
        },
      },
    ]);
    const [alone] = eventsOf(record(scan));
    expect(alone?.attributes).toMatchObject({ inputRows: 9, inputComplete: true });
    expect(alone?.attributes).not.toHaveProperty('parentOperatorId');
    const many = Array.from({ length: 100 }, (_, i) => record(site(`s${i}`)));
    expect(eventsOf(...many)).toHaveLength(96);
  });

  test('beyond 512 spans end the telling of statements', () => {
    const many = (count: number) =>
      ran('query', {
        operators: {
          records: Array.from({ length: count }, (_, i) => record(site(`s${i}`))),
          dropped: 0,
        },
      });
    const countOf = (...counts: readonly number[]) =>
      told({ evidence: evidence(counts.map(many)) }).length;
    // The program and the statements have one each.
    expect(countOf(510)).toBe(512);
    expect(countOf(511)).toBe(1);
    expect(countOf(200, 200, 108)).toBe(512);
    expect(countOf(200, 200, 109)).toBe(403);
  });
});
