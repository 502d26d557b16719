/** What the live transitions of a table ask of those who write to it. */

import { expect, test } from 'bun:test';
import {
  type Catalog,
  isGated,
  moveTransition,
  startTransition,
  type Table,
  type Transition,
  type TransitionStart,
  writeProtocol,
} from '#catalog';
import { catalogOf, posts, tableOf, users } from '../support.ts';

const base = catalogOf(users, posts);
const index = (name: string, unique: boolean): TransitionStart => ({
  kind: 'start_index_build',
  table_id: 1,
  index: { name, columns: ['age'], unique },
});
const replacement: TransitionStart = {
  kind: 'start_column_replacement',
  table_id: 1,
  column_id: 3,
  replacement: { type: 'text', nullable: true },
};
const notNull: TransitionStart = {
  kind: 'start_constraint_validation',
  table_id: 1,
  constraint: { kind: 'not_null', name: 'c', column_id: 3 },
};
const references: TransitionStart = {
  kind: 'start_constraint_validation',
  table_id: 2,
  constraint: {
    kind: 'foreign_key',
    name: 'c',
    foreign_key: { name: 'b_fk', columns: ['id'], ref_table: 'users', ref_columns: ['id'] },
  },
};

function started(start: TransitionStart, name = 'users') {
  const { catalog, record } = startTransition(base, start, []);
  const table = tableOf(catalog, name);
  return { catalog, id: record.id, table, transition: table.transitions?.[0] as Transition };
}

/** The members that ask for something. */
function asked(table: Table) {
  const { building, shadows, foreignKeys, notNull, violations, gate } = writeProtocol(table);
  return {
    building: building.map(({ name }) => name),
    shadows: shadows.map(({ ordinal, target }) => [ordinal, target.type]),
    foreignKeys: foreignKeys.map(({ name }) => name),
    notNull: [...notNull],
    violations: violations.map(({ columns }) => columns),
    gate,
  };
}

const nothing = {
  building: [],
  shadows: [],
  foreignKeys: [],
  notNull: [],
  violations: [],
  gate: undefined,
};

test('a table without transitions asks for nothing but its keys', () => {
  expect(asked(tableOf(base, 'users'))).toEqual(nothing);
  expect(asked(tableOf(base, 'posts'))).toEqual({ ...nothing, foreignKeys: ['posts_author_fk'] });
});

test('each kind asks for what it needs', () => {
  expect(asked(started(index('i', false)).table)).toEqual({ ...nothing, building: ['i'] });
  const shadows: [number, 'text'][] = [[2, 'text']];
  expect(asked(started(replacement).table)).toEqual({ ...nothing, shadows, violations: [[3]] });
  expect(asked(started(notNull).table)).toEqual({ ...nothing, notNull: [3], violations: [[3]] });
  expect(asked(started(references, 'posts').table)).toEqual({
    ...nothing,
    foreignKeys: ['posts_author_fk', 'b_fk'],
    violations: [[1]],
  });
});

test('violations lie where their transition puts them', () => {
  for (const start of [replacement, notNull]) {
    const { table, transition } = started(start);
    const physicalId =
      transition.kind === 'column_replacement'
        ? transition.target.physicalId
        : (transition as { readonly physicalId: number }).physicalId;
    expect(writeProtocol(table).violations[0]?.physicalId).toBe(physicalId);
  }
});

test('one that waits asks for nothing', () => {
  const first = started(index('i', false));
  const waiting = { ...index('j', false), prerequisites: [`tr${first.id}`] };
  const { catalog } = startTransition(first.catalog, waiting, []);
  expect(asked(tableOf(catalog, 'users')).building).toEqual(['i']);
});

test('the gate shuts when something is validated that a late write could break', () => {
  const cases: readonly (readonly [TransitionStart, string, boolean])[] = [
    [index('i', false), 'users', false],
    [index('i', true), 'users', true],
    [replacement, 'users', true],
    [notNull, 'users', true],
    [references, 'posts', true],
  ];
  for (const [start, name, shuts] of cases) {
    const { catalog, id } = started(start, name);
    for (const state of ['building', 'catching_up', 'validating'] as const) {
      const moved: Catalog = moveTransition(catalog, id, state);
      const table = tableOf(moved, name);
      const isShut = shuts && state === 'validating';
      expect(writeProtocol(table).gate).toBe(isShut ? id : undefined);
      expect(isGated(table.transitions?.[0] as Transition)).toBe(isShut);
    }
  }
});
