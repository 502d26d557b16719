/** The start of transitions, without data: what stands in the way, what has to wait, and what asks for the same once more. */

import { describe, expect, test } from 'bun:test';
import {
  applyChange,
  type Catalog,
  type CatalogChange,
  endTransition,
  liveTransition,
  matchingTransition,
  moveTransition,
  publishTransition,
  startTransition,
  stateOf,
  subjectOf,
  type Transition,
  type TransitionStart,
  transitionControl,
} from '#catalog';
import { catalogOf, expectInvalid, failureOf, posts, tableOf, users } from '../support.ts';

/** users has the table id 1, posts 2; columns have the ids 1 to 3. */
const base = catalogOf(users, posts);
const [usersId, postsId, id, age, author] = [1, 2, 1, 3, 2];

const buildIndex = (
  columns = ['age'],
  more = {},
  prerequisites: string[] = [],
): TransitionStart => ({
  kind: 'start_index_build',
  table_id: usersId,
  index: { name: 'i', columns, ...more },
  prerequisites,
});
const replace = (column_id = age, replacement = {}): TransitionStart => ({
  kind: 'start_column_replacement',
  table_id: usersId,
  column_id,
  replacement: { type: 'text', nullable: true, ...replacement },
});
const notNull = (
  column_id = age,
  name = 'strict',
  prerequisites: string[] = [],
): TransitionStart => ({
  kind: 'start_constraint_validation',
  table_id: usersId,
  constraint: { kind: 'not_null', name, column_id, prerequisites },
});
const key = { name: 'fk', columns: ['age'], ref_table: 'users', ref_columns: ['id'] };
const references = (more = {}, name = 'refers'): TransitionStart => ({
  kind: 'start_constraint_validation',
  table_id: usersId,
  constraint: { kind: 'foreign_key', name, foreign_key: { ...key, ...more } },
});

/** The catalog after the starts, and the number of the last one. */
function started(catalog: Catalog, ...starts: readonly TransitionStart[]) {
  let last = 0;
  let current = catalog;
  for (const start of starts) {
    const { catalog: after, record } = startTransition(current, start, []);
    current = after;
    last = record.id;
  }
  return { catalog: current, last };
}

const refusal = (catalog: Catalog, start: TransitionStart) =>
  failureOf(() => startTransition(catalog, start, [])).detail;
const liveOf = (catalog: Catalog, number: number) =>
  liveTransition(catalog, number)?.transition as Transition;

describe('beside one that is active', () => {
  const cases: readonly [string, TransitionStart, TransitionStart, string | undefined][] = [
    ['an index, then a replacement', buildIndex(), replace(), 'cancel or finish and delete'],
    ['a replacement, then an index', replace(), buildIndex(), 'name it as a prerequisite'],
    ['two replacements', replace(), replace(age, { type: 'float64' }), 'name it as a prerequisite'],
    ['a replacement, then not null', replace(), notNull(), 'name it as a prerequisite'],
    ['two validations', notNull(), references(), 'name it as a prerequisite'],
    ['an index, then not null', buildIndex(), notNull(), undefined],
    ['not null, then an index', notNull(), buildIndex(), undefined],
    ['two indexes', buildIndex(), buildIndex(['age'], { name: 'j' }), undefined],
    ['other columns', replace(), buildIndex(['name']), undefined],
  ];
  test.each(cases)('%s', (_, first, second, advice) => {
    const { catalog, last } = started(base, first);
    if (advice === undefined) {
      const { catalog: after, record } = startTransition(catalog, second, []);
      expect([record.state, after.tables[0]?.transitions?.length]).toEqual(['building', 2]);
      return;
    }
    const { kind } = liveOf(catalog, last);
    const detail = refusal(catalog, second);
    expect(detail).toStartWith(
      `column "age" of table "users" is already being changed by the ${kind} tr${last}; `,
    );
    expect(detail).toContain(advice);
  });

  test('its column stays, others may go', () => {
    const { catalog } = started(base, replace());
    const drop = (column_id: number): CatalogChange => ({
      kind: 'delete_column',
      table_id: usersId,
      column_id,
    });
    expectInvalid(
      catalog,
      drop(age),
      'column "age" cannot be deleted while the column_replacement',
    );
    const spare = { kind: 'create_column', table_id: usersId } as const;
    const column = { name: 'spare', type: 'text', nullable: true } as const;
    const wider = applyChange(catalog, { ...spare, column }).catalog;
    expect(applyChange(wider, drop(4)).changed).toBe(true);
  });

  test('indexes and keys of a column that is replaced have to wait, of others not', () => {
    const { catalog } = started(base, replace());
    const index = (column: string): CatalogChange => ({
      kind: 'create_index',
      table_id: usersId,
      index: { name: 'n', columns: [column] },
    });
    expectInvalid(catalog, index('age'), 'while the column_replacement');
    expect(applyChange(catalog, index('name')).changed).toBe(true);
    const foreign_key = { ...key, name: 'n' };
    const create = { kind: 'create_foreign_key', table_id: usersId, foreign_key } as const;
    expectInvalid(catalog, create, 'while the column_replacement');
  });

  test('a key that clears a column has to wait for its not null', () => {
    const { catalog } = started(base, notNull());
    const create = (on_delete: 'set_null' | 'cascade'): CatalogChange => ({
      kind: 'create_foreign_key',
      table_id: usersId,
      foreign_key: { ...key, on_delete },
    });
    expectInvalid(catalog, create('set_null'), 'while the constraint_validation');
    expect(applyChange(catalog, create('cascade')).changed).toBe(true);
  });

  test('its table stays', () => {
    const { catalog } = started(base, replace());
    expectInvalid(catalog, { kind: 'delete_table', table_id: usersId }, 'cannot be deleted while');
  });

  test('names of constraints are reserved', () => {
    const { catalog } = started(base, notNull(age, 'c'));
    expect(refusal(catalog, notNull(id, 'c'))).toContain('duplicate constraint name: "c"');
    expect(refusal(catalog, { ...references({}, 'c') })).toContain('duplicate constraint name');
  });
});

describe('what cannot become active', () => {
  test.each<[string, TransitionStart, string]>([
    ['the primary key', replace(id, { type: 'text', nullable: false }), 'used by the primary key'],
    ['an index', replace(2, { type: 'int64' }), 'used by the index "users_name_uq"'],
    [
      'nothing to do',
      replace(age, { type: 'int64' }),
      'already has the definition of its replacement',
    ],
    ['not null already', notNull(id), 'column "id" is already not nullable'],
    [
      'an increment',
      replace(age, { type: 'int64', default: { kind: 'generator', func: 'increment' } }),
      'immutable',
    ],
  ])('%s', (_, start, fragment) => {
    expect(refusal(base, start)).toContain(fragment);
  });

  test('a column with a key', () => {
    const start = { ...replace(author), table_id: postsId };
    expect(refusal(base, start)).toContain('used by the foreign key "posts_author_fk"');
    const clears = { ...posts.foreign_keys?.[0], on_delete: 'set_null' } as never;
    const other = catalogOf(users, { ...posts, foreign_keys: [clears] });
    const strict = { ...notNull(author), table_id: postsId };
    expect(refusal(other, strict)).toContain('must stay nullable: foreign key "posts_author_fk"');
  });

  test('a key that clears a column without NULL', () => {
    const columns = posts.columns.map((column) => ({ ...column, nullable: false }));
    const strict = catalogOf(users, { ...posts, columns, foreign_keys: [] });
    const foreign_key = { ...key, columns: ['author'], on_delete: 'set_null' } as const;
    const constraint = { kind: 'foreign_key', name: 'c', foreign_key } as const;
    const start = { ...references(), table_id: postsId, constraint } as TransitionStart;
    expect(refusal(strict, start)).toContain('set_null needs the column "author" to be nullable');
    expect(startTransition(base, { ...start, constraint } as never, []).record.state).toBe(
      'building',
    );
  });
});

test('a replacement that leaves cells as they are is ready at once', () => {
  const start = { ...replace(3, { type: 'text', nullable: true }), table_id: postsId };
  const { catalog, record } = startTransition(base, start, []);
  expect(record).toMatchObject({ state: 'ready', generation: 1, epoch: 0, rowsScanned: 0 });
  expect(record.names).toEqual({ table: 'posts', object: 'title' });
  expect([catalog.version, stateOf(catalog, record.id)]).toEqual([base.version + 1, 'ready']);
  const [before, after] = [base, catalog].map((one) => tableOf(one, 'posts').columns[2]);
  expect(after).toEqual({ ...before, nullable: true } as typeof after);
  // Rows may have NULL by now: each of them is read on the way back.
  const back = { ...replace(3, { type: 'text', nullable: false }), table_id: postsId };
  expect(startTransition(catalog, back, []).record.state).toBe('building');
});

describe('prerequisites', () => {
  test('are known, distinct, in order and not in vain', () => {
    const { catalog, last } = started(base, buildIndex());
    const next = (...ids: string[]) => buildIndex(['id'], { name: 'j' }, ids);
    const { record } = startTransition(catalog, next(`tr${last}`, `tr${last}`), [last]);
    expect([record.state, record.prerequisites]).toEqual(['waiting', [last]]);
    expect(transitionControl(record)).toMatchObject({
      transition_id: `tr${record.id}`,
      state: 'waiting',
      generation: 1,
      prerequisites: [`tr${last}`],
      retained_work_state: 'normal',
      rows_scanned: 0,
      applied_delta: 0,
      delta_lag: 0,
    });
    for (const unknown of ['tr999', 'tr0', 'x']) {
      expect(refusal(catalog, next(unknown))).toContain(`no transition "${unknown}"`);
    }
    for (const state of ['failed', 'cancelled'] as const) {
      const ended = endTransition(catalog, last, state);
      expect(refusal(ended, next(`tr${last}`))).toContain(`tr${last} is ${state}: it will never`);
    }
    const done = publishTransition(catalog, last);
    expect(startTransition(done, next(`tr${last}`), []).record.state).toBe('building');
  });

  test('let in what would be refused, and have it wait', () => {
    const { catalog, last } = started(base, replace());
    const { record, catalog: after } = startTransition(
      catalog,
      notNull(age, 'c', [`tr${last}`]),
      [],
    );
    expect(record.state).toBe('waiting');
    expect(liveOf(after, record.id).prerequisites).toEqual([last]);
  });
});

describe('the same once more', () => {
  const starts: readonly [string, TransitionStart, readonly TransitionStart[]][] = [
    [
      'an index',
      buildIndex(['age', 'name']),
      [
        buildIndex(['name', 'age']),
        buildIndex(['age']),
        buildIndex(['age', 'name'], { unique: true }),
        buildIndex(['age', 'name'], { name: 'j' }),
        { ...buildIndex(['age', 'name']), table_id: postsId },
        { ...buildIndex(['age', 'name']), table_id: 9 },
      ],
    ],
    [
      'a replacement',
      replace(),
      [
        replace(id),
        replace(age, { nullable: false }),
        replace(age, { type: 'float64' }),
        notNull(),
      ],
    ],
    ['not null', notNull(), [notNull(id), notNull(age, 'other'), references({}, 'strict')]],
    [
      'a foreign key',
      references(),
      [
        references({ name: 'other' }),
        references({ on_delete: 'cascade' }),
        references({ ref_table: 'posts' }),
        references({ columns: ['id'] }),
        references({}, 'other'),
        notNull(age, 'refers'),
      ],
    ],
  ];
  test.each(starts)('%s', (_, start, others) => {
    const { catalog, last } = started(base, start);
    expect(matchingTransition(catalog, start)?.id).toBe(last);
    for (const other of others) expect(matchingTransition(catalog, other)).toBeUndefined();
    expect(matchingTransition(base, start)).toBeUndefined();
  });
});

describe('a transition on its way', () => {
  test('moves alone', () => {
    const { catalog, last } = started(base, buildIndex(), buildIndex(['age'], { name: 'j' }));
    const moved = moveTransition(catalog, last, 'validating');
    expect(moved.tables[0]?.transitions?.map(({ state }) => state)).toEqual([
      'building',
      'validating',
    ]);
    expect(moved.version).toBe(catalog.version);
  });

  test('that is published is part of its table, one version higher', () => {
    const index = started(base, buildIndex());
    const built = publishTransition(index.catalog, index.last);
    expect(tableOf(built, 'users').indexes.map(({ name }) => name)).toEqual(['i', 'users_name_uq']);
    expect(tableOf(built, 'users').transitions).toBeUndefined();
    expect(built.version).toBe(base.version + 1);
    expect(stateOf(built, index.last)).toBe('ready');
    const strict = started(base, notNull());
    const validated = publishTransition(strict.catalog, strict.last);
    const nullable = tableOf(validated, 'users').columns.map((column) => column.nullable);
    expect(nullable).toEqual([false, false, false]);
    const keyed = started(base, references());
    const keys = tableOf(publishTransition(keyed.catalog, keyed.last), 'users').foreignKeys;
    expect(keys.map(({ name }) => name)).toEqual(['fk']);
    const replaced = started(base, replace());
    const renamed = applyChange(replaced.catalog, {
      kind: 'rename_column',
      table_id: usersId,
      column_id: age,
      to: 'years',
    }).catalog;
    const after = tableOf(publishTransition(renamed, replaced.last), 'users');
    expect(after.columns[2]).toMatchObject({ id: age, name: 'years', type: 'text' });
  });

  test('that ends otherwise leaves nothing but its end', () => {
    const { catalog, last } = started(base, buildIndex());
    const ended = endTransition(catalog, last, 'cancelled');
    expect(tableOf(ended, 'users')).toEqual(tableOf(base, 'users'));
    expect([ended.version, stateOf(ended, last)]).toEqual([base.version, 'cancelled']);
  });

  test('is called by the names that its object has now', () => {
    for (const [start, object] of [
      [buildIndex(), 'i'],
      [replace(), 'age'],
      [notNull(), 'strict'],
    ] as const) {
      const { catalog, record } = startTransition(base, start, []);
      const control = transitionControl(record);
      expect(subjectOf(catalog, control)).toEqual({ table: 'users', object });
      const gone = subjectOf(publishTransition(catalog, record.id), control);
      expect(gone).toEqual(object === 'i' ? { table: 'users', object } : undefined);
    }
  });
});
