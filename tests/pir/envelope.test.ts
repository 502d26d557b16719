/** The envelope: limits, names, authority, and which result is returned. */

import { describe, expect, test } from 'bun:test';
import { DatabaseError } from '#failure';
import { checkEnvelope, type EnvelopeRules, type Program, type Statement } from '#pir';

const nodes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, scan]));
const scan = { kind: 'scan', table: 't', scope: 's' } as const;
const query = (name: string, count = 1): Statement => ({
  kind: 'query',
  name,
  relation: { nodes: nodes(count), root: { node: 'n0', cardinality: 'many' } },
});
const drop = (name: string): Statement => ({ kind: 'delete_table', name, table_id: 1 });
const start = (name: string): Statement => ({
  kind: 'start_index_build',
  name,
  table_id: 1,
  index: { name: 'i', columns: ['a'] },
});
const program = (statements: Statement[], result?: string): Program =>
  result === undefined ? { statements } : { statements, result };

const direct: EnvelopeRules = { mode: 'direct' };
const schema: EnvelopeRules = { mode: 'schema' };
const migration: EnvelopeRules = { mode: 'schema', authority: 'migration' };

describe('the selected result', () => {
  const cases: readonly [string, Program, string | undefined][] = [
    ['the only statement', program([query('q')]), 'q'],
    ['the named one', program([query('q'), query('r')], 'r'), 'r'],
    ['the named one among catalog statements', program([drop('d'), query('q')], 'q'), 'q'],
    ['nothing of catalog statements', program([drop('d'), drop('e')]), undefined],
    ['nothing of a single catalog statement', program([drop('d')]), undefined],
  ];
  test.each(cases)('%s', (_, given, name) => {
    expect(checkEnvelope(given, direct)).toBe(name as never);
  });
});

describe('what is refused is invalid, and located', () => {
  const many = Array.from({ length: 1_001 }, (_, i) => query(`q${i}`));
  const cases: readonly [string, Program, EnvelopeRules, string][] = [
    ['no choice among two', program([query('q'), query('r')]), direct, ''],
    ['no choice besides a catalog statement', program([drop('d'), query('q')]), direct, ''],
    ['a catalog statement as result', program([drop('d'), query('q')], 'd'), direct, '/result'],
    ['an unknown result', program([query('q')], 'constructor'), direct, '/result'],
    ['a name used twice', program([query('q'), query('q')], 'q'), direct, '/statements/1/name'],
    ['the catalog in schema mode', program([drop('d')]), schema, '/statements/0/kind'],
    ['a transition in schema mode', program([start('t')]), schema, '/statements/0/kind'],
    ['1,001 statements', program(many, 'q0'), direct, '/statements'],
    [
      '10,001 nodes',
      program([query('q', 10_000), query('r')], 'q'),
      direct,
      '/statements/1/relation/nodes',
    ],
    [
      'a duplicate name goes before authority and result',
      program([query('q'), query('q'), drop('d')]),
      schema,
      '/statements/1/name',
    ],
  ];
  test.each(cases)('%s', (_, given, rules, pointer) => {
    const refusal = () => checkEnvelope(given, rules);
    expect(refusal).toThrow(DatabaseError);
    try {
      refusal();
    } catch (error) {
      const { failure } = error as DatabaseError;
      expect(failure).toMatchObject({ reason: 'invalid', location: { pointer } });
    }
  });
});

test('a migration changes the catalog in schema mode, up to the limits all is well', () => {
  expect(checkEnvelope(program([drop('d'), start('t')]), migration)).toBeUndefined();
  expect(checkEnvelope(program([start('t')]), direct)).toBeUndefined();
  const many = Array.from({ length: 1_000 }, (_, i) => query(`q${i}`, 10));
  expect(checkEnvelope(program(many, 'q0'), schema)).toBe('q0');
});

test('a program changes the catalog a hundred times at most; a migration as often as it must', () => {
  const changes = (count: number) =>
    program([query('q'), ...Array.from({ length: count }, (_, i) => drop(`d${i}`))], 'q');
  expect(checkEnvelope(changes(100), direct)).toBe('q');
  expect(checkEnvelope(changes(101), migration)).toBe('q');
  let failure: unknown;
  try {
    checkEnvelope(changes(101), direct);
  } catch (error) {
    failure = error;
  }
  expect((failure as DatabaseError).failure).toMatchObject({
    reason: 'invalid',
    detail:
      'the program changes the catalog 101 times, and at most 100 are allowed; send several programs',
    location: { pointer: '/statements/101' },
  });
});
