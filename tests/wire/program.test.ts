/** What the check of PIR documents accepts, refuses, in which order, and what it says. */

import { describe, expect, test } from 'bun:test';
import { neverYield, runWithoutWaiting } from '#base';
import { checkProgram, checkProgramSteps } from '#wire';
import { parseJson } from '../support/parse-json.ts';
import { failureOf, outline } from './failure-of.ts';
import { fullProgram, smallQuery } from './samples.ts';

const program = (...statements: unknown[]) => ({ statements });
const query = (name: string, relation: unknown) => ({ kind: 'query', name, relation });
const addColumn = (column: object) =>
  program({ kind: 'create_column', name: 'c', table_id: 1, column: { name: 'x', ...column } });

test('a document with every production passes, and is returned as it is', () => {
  const json = fullProgram();
  expect(checkProgram(json) as unknown).toBe(json);
});

test('the check gives way before the envelope, and before the grammar and the graph of each relation', () => {
  let asked = 0;
  const pause = (rows: number) => {
    if (rows === Number.POSITIVE_INFINITY) asked++;
    return undefined;
  };
  const pace = { ...neverYield, pause };
  const json = program(query('a', smallQuery()), query('b', smallQuery()));
  runWithoutWaiting(checkProgramSteps(json, pace));
  expect(asked).toBe(5);
});

describe('the grammar of the envelope is 400', () => {
  const drop = { kind: 'delete_table', name: 'd' };
  const long = 'ß'.repeat(128);
  const cases: readonly [unknown, string, string][] = [
    [[], '', 'an object, got an array'],
    [{}, '', 'missing member "statements"'],
    [{ statements: [] }, '/statements', 'at least 1'],
    [{ statements: [], extra: 1 }, '/extra', 'unknown member "extra"'],
    [program({ kind: 'upsert', name: 'u' }), '/statements/0/kind', 'unknown kind "upsert"'],
    [program({ kind: 'qeury', name: 'u' }), '/statements/0/kind', 'did you mean "query"?'],
    [program(query('q', [])), '/statements/0/relation', 'an object, got an array'],
    [program(query('', smallQuery())), '/statements/0/name', 'an empty string'],
    [program({ ...drop, table_id: 0 }), '/statements/0/table_id', 'from 1 to 2147483647'],
    [program({ ...drop, table_id: 2 ** 31 }), '/statements/0/table_id', 'from 1 to 2147483647'],
    [
      program({ kind: 'rename_table', name: 'r', table_id: 1, to: 'a\u0007' }),
      '/statements/0/to',
      'control',
    ],
    [
      program({ kind: 'rename_table', name: 'r', table_id: 1, to: long }),
      '/statements/0/to',
      '255',
    ],
    [addColumn({ type: 'string' }), '/statements/0/column/type', '"text"'],
    [
      addColumn({ type: 'text', default: { kind: 'literal', value: null } }),
      '/statements/0/column/default/value',
      'got null',
    ],
    [
      addColumn({ type: 'text', default: { func: 'ulid' } }),
      '/statements/0/column/default',
      'missing member "kind"',
    ],
  ];
  test.each(cases)('%p', (json, pointer, fragment) => {
    const failure = failureOf(() => checkProgram(json));
    const first = failure.errors?.find((error) => error.location?.pointer === pointer);
    expect(outline(failure)).toMatchObject({ reason: 'schema_violation', status: 400 });
    expect(first?.detail ?? failure.detail).toContain(fragment);
    expect(first?.location?.pointer ?? failure.location?.pointer).toBe(pointer);
  });
});

describe('the order of checks', () => {
  const badGrammar = { ...smallQuery(), root: { node: 'f' } };
  const badGraph = { ...smallQuery(), root: { node: 'zz', cardinality: 'many' } };

  test('a relation is 422 and names its statement', () => {
    const json = program(query('first', smallQuery()), query('second', badGrammar));
    const failure = failureOf(() => checkProgram(json));
    expect(outline(failure)).toEqual({
      reason: 'schema_violation',
      status: 422,
      stage: 'schema',
      pointer: '/statements/1/relation/root',
    });
    expect(failure.detail).toContain('"second"');
  });

  test('the whole envelope goes before any relation', () => {
    const json = program(query('first', badGrammar), { kind: 'query', name: 'second' });
    expect(outline(failureOf(() => checkProgram(json)))).toMatchObject({
      status: 400,
      pointer: '/statements/1',
    });
  });

  test('statement by statement: grammar, then graph', () => {
    const json = program(query('first', badGraph), query('second', badGrammar));
    const failure = failureOf(() => checkProgram(json));
    expect(outline(failure)).toEqual({
      reason: 'unknown_node',
      status: 422,
      stage: 'preflight',
      pointer: '/statements/0/relation/root/node',
    });
    expect(failure.detail).toContain('"first"');
  });

  test('a bad default waits for its turn among the statements', () => {
    const [column] = addColumn({
      type: 'int64',
      default: { kind: 'literal', value: 'x' },
    }).statements;
    const late = program(query('q', badGraph), column);
    expect(failureOf(() => checkProgram(late)).reason).toBe('unknown_node');
    const early = program(column, query('q', badGraph));
    expect(outline(failureOf(() => checkProgram(early)))).toMatchObject({
      reason: 'schema_violation',
      status: 422,
      pointer: '/statements/0/column/default/value',
    });
  });
});

describe('defaults fit their column', () => {
  const parsed = (text: string) => {
    const json = parseJson(text, 100);
    return json.kind === 'parsed' ? json.value : undefined;
  };
  const column = (type: string, literal: string, format = '') =>
    addColumn({
      type,
      ...(format === '' ? {} : { format }),
      default: parsed(`{"kind":"literal","value":${literal}}`),
    });
  const generated = (type: string, func: string, format?: string) =>
    addColumn({ type, ...(format ? { format } : {}), default: { kind: 'generator', func } });

  const fitting = [
    column('text', '"x"'),
    column('text', '"x"', 'uuid'),
    column('int64', '9223372036854775807'),
    column('int64', '-5'),
    column('float64', '5.0'),
    column('float64', '5'),
    column('bool', 'false'),
    column('bytes', '"AAE="'),
    column('bytes', '"AAE="', 'unix_ms'),
    column('bytes', '"00000000-0000-4000-8000-000000000002"', 'uuid'),
    generated('bytes', 'uuid_v4', 'uuid'),
    generated('bytes', 'xid', 'xid'),
    generated('int64', 'increment'),
    generated('int64', 'now_ms', 'unix_ms'),
  ];
  test.each(fitting)('%p passes', (json) => {
    expect(() => checkProgram(json)).not.toThrow();
  });

  const unfit: readonly [unknown, string][] = [
    [column('text', '5'), 'value'],
    [column('int64', '5.0'), 'value'],
    [column('int64', '5e0'), 'value'],
    [column('int64', '1.5'), 'value'],
    [column('int64', '9223372036854775808'), 'value'],
    [column('int64', '"5"'), 'value'],
    [column('float64', '1e400'), 'value'],
    [column('bool', '"true"'), 'value'],
    [column('bytes', '"AAE"'), 'value'],
    [column('bytes', '"AAE="', 'uuid'), 'value'],
    [column('bytes', '"00000000-0000-4000-8000-00000000000A"', 'uuid'), 'value'],
    [generated('text', 'uuid_v4', 'uuid'), 'func'],
    [generated('bytes', 'uuid_v4', 'ulid'), 'func'],
    [generated('bytes', 'uuid_v4'), 'func'],
    [generated('float64', 'increment'), 'func'],
  ];
  test.each(unfit)('%p is refused', (json, member) => {
    expect(outline(failureOf(() => checkProgram(json)))).toEqual({
      reason: 'schema_violation',
      status: 422,
      stage: 'schema',
      pointer: `/statements/0/column/default/${member}`,
    });
  });

  test('a replacement is checked as a column is, a changed default is left to the catalog', () => {
    const bad = { kind: 'literal', value: 'x' };
    const replacement = { type: 'int64', nullable: true, default: bad };
    const at = { name: 's', table_id: 1, column_id: 1 };
    const start = program({ kind: 'start_column_replacement', ...at, replacement });
    expect(outline(failureOf(() => checkProgram(start)))).toMatchObject({
      status: 422,
      pointer: '/statements/0/replacement/default/value',
    });
    const change = program({ kind: 'change_column_default', ...at, default: bad });
    expect(() => checkProgram(change)).not.toThrow();
  });
});
