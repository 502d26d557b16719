/** Work that is under way already: each start against each kind of active transition, on the same column, on another one, and under the same name. */

import { describe, expect, test } from 'bun:test';
import { type Catalog, startTransition, type TransitionStart, transitionIdText } from '#catalog';
import { liveWork } from '../../../src/schema/diff/live.ts';
import { isStart, step } from '../../../src/schema/diff/step.ts';
import { catalogOf } from '../../catalog/support.ts';

const base = catalogOf(
  { name: 'users', columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] },
  {
    name: 't',
    columns: ['id', 'a', 'b'].map((name) => ({ name, type: 'int64', nullable: name !== 'id' })),
    primary_key: ['id'],
  },
);

const [a, b] = [2, 3] as const;
const nameOf = (column: number) => (column === a ? 'a' : 'b');

const index = (column: number, name = `index of ${column}`, unique = false): TransitionStart => ({
  kind: 'start_index_build',
  table_id: 2,
  index: { name, columns: [nameOf(column)], unique },
});
const replacement = (column: number, type: 'text' | 'float64' = 'text'): TransitionStart => ({
  kind: 'start_column_replacement',
  table_id: 2,
  column_id: column,
  replacement: { type, nullable: true, conversion: 'strict_builtin', prerequisites: [] },
});
const notNull = (column: number, name = `not null of ${column}`): TransitionStart => ({
  kind: 'start_constraint_validation',
  table_id: 2,
  constraint: { kind: 'not_null', name, column_id: column, prerequisites: [] },
});
const key = (column: number, name = `key of ${column}`): TransitionStart => ({
  kind: 'start_constraint_validation',
  table_id: 2,
  constraint: {
    kind: 'foreign_key',
    name,
    foreign_key: { name, columns: [nameOf(column)], ref_table: 'users', ref_columns: ['id'] },
    prerequisites: [],
  },
});

function during(active: TransitionStart): { readonly catalog: Catalog; readonly id: string } {
  const { catalog, record } = startTransition(base, active, []);
  return { catalog, id: transitionIdText(record.id) };
}

/** `matched`, `conflict` or `free`, for one start beside an active transition. */
function beside(start: TransitionStart, active: TransitionStart): string {
  const { catalog, id } = during(active);
  const one = step('start it', { table: 't' }, start);
  const { matched, conflicts } = liveWork(catalog, [one]);
  if (matched.size > 0) {
    expect([matched.get(one), conflicts]).toEqual([id, []]);
    return 'matched';
  }
  if (conflicts.length === 0) return 'free';
  expect(conflicts).toEqual([
    {
      kind: 'active_schema_transition_conflict',
      summary: expect.stringMatching(
        new RegExp(`^start it: the \\w+ ${id} is active; wait for its end or cancel it$`),
      ),
    },
  ]);
  return 'conflict';
}

const kinds = { index, replacement, notNull, key } as const;
type Kind = keyof typeof kinds;

describe('a start beside an active transition of', () => {
  test.each(Object.keys(kinds) as Kind[])('%s is that very work', (kind) => {
    expect(beside(kinds[kind](a), kinds[kind](a))).toBe('matched');
  });

  // What starts, what is active on the same column, and what comes of it.
  test.each([
    ['index', 'replacement', 'conflict'],
    ['index', 'notNull', 'free'],
    ['index', 'key', 'free'],
    ['replacement', 'index', 'conflict'],
    ['replacement', 'notNull', 'conflict'],
    ['replacement', 'key', 'conflict'],
    ['notNull', 'index', 'free'],
    ['notNull', 'replacement', 'conflict'],
    ['notNull', 'key', 'conflict'],
    ['key', 'index', 'free'],
    ['key', 'replacement', 'conflict'],
    ['key', 'notNull', 'conflict'],
  ] as const)('%s beside %s: %s, and free on another column', (start, active, expected) => {
    expect(beside(kinds[start](a), kinds[active](a))).toBe(expected);
    expect(beside(kinds[start](a), kinds[active](b))).toBe('free');
  });

  test('the same name for something else stands in the way', () => {
    expect(beside(index(a, 'i'), index(b, 'i'))).toBe('conflict');
    expect(beside(index(a, 'i', true), index(a, 'i'))).toBe('conflict');
    expect(beside(index(a, 'i'), index(a, 'j'))).toBe('free');
    expect(beside(notNull(a, 'c'), notNull(b, 'c'))).toBe('conflict');
    expect(beside(key(a, 'c'), notNull(b, 'c'))).toBe('conflict');
    // Indexes and constraints have names of their own.
    expect(beside(index(a, 'c'), notNull(b, 'c'))).toBe('free');
    expect(beside(replacement(a), replacement(a, 'float64'))).toBe('conflict');
  });
});

test('a step that waits for work that goes on does not meet it', () => {
  const { catalog, id } = during(replacement(a));
  const first = step('replace', { table: 't' }, replacement(a));
  const after = step('build', { table: 't' }, index(a), [first]);
  const other = step('validate', { table: 't' }, notNull(a));
  const { matched, conflicts } = liveWork(catalog, [first, after, other]);
  expect([...matched]).toEqual([[first, id]]);
  expect(conflicts.map(({ summary }) => summary.split(':')[0])).toEqual(['validate']);
});

test('changes that start nothing, and tables without work, are free', () => {
  const rename = { kind: 'rename_table', table_id: 2, to: 'u' } as const;
  const creates = step('create', { table: 't' }, { ...index(a), table_id: 1 } as TransitionStart);
  expect(isStart(rename)).toBe(false);
  const { catalog } = during(replacement(a));
  const { matched, conflicts } = liveWork(catalog, [
    step('rename', { table: 't' }, rename),
    creates,
  ]);
  expect([matched.size, conflicts]).toEqual([0, []]);
});
