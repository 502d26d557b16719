/** No detail of a problem, and no last error of a transition, holds a stored value or a key: they tell the place by table, column and count. */

import { expect, test } from 'bun:test';
import { outcomeOf } from '../support/outcome.ts';
import { buildIndex, createTable, mutation, openWorkshop, type Workshop } from './support.ts';

/** Keys and values of the rows; nothing that is refused below sends any of them. */
const marks = /471[0-9]|secret/;
const columns = ['id int64', 'v text?', 'n int64?', 'long text?'] as const;

async function opened(): Promise<Workshop> {
  const db = await openWorkshop();
  await db.run(createTable('p', ['id int64']), createTable('t', columns));
  await db.run(
    mutation(
      'create',
      't',
      columns,
      ['4711', 'secret', '4712', 'secret'],
      ['4712', 'secret', '4712', `secret${'x'.repeat(20_000)}`],
      ['4713', null, '4712', null],
    ),
  );
  return db;
}

const replacement = (type: string, nullable = true) => ({
  kind: 'start_column_replacement',
  table_id: 2,
  column_id: 2,
  replacement: { type, nullable, conversion: 'strict_builtin' },
});
const foreignKey = {
  name: 'fk',
  columns: ['n'],
  ref_table: 'p',
  ref_columns: ['id'],
  on_delete: 'restrict',
};
const validation = (constraint: object) => ({
  kind: 'start_constraint_validation',
  table_id: 2,
  constraint: { name: 'c', ...constraint },
});

const transitions: readonly (readonly [what: string, start: object, lastError: string])[] = [
  [
    'a value without an image',
    replacement('int64'),
    'cannot publish replacement for column "v" of table "t": 2 rows: the text value has no exact int64 image',
  ],
  [
    'a unique index',
    { ...buildIndex('v', ['v'], true), table_id: 2 },
    'cannot publish unique index "v" of table "t" (column "v"): 1 row has the same values as another row',
  ],
  [
    'an index over a long value',
    { ...buildIndex('long', ['long']), table_id: 2 },
    'a value of index "long" of table "t" (column "long") has 20008 bytes when encoded, at most 16384 are allowed',
  ],
  [
    'NULL',
    validation({ kind: 'not_null', column_id: 2 }),
    'cannot validate constraint "c" of table "t": 1 row: column "v" is NULL',
  ],
  [
    'a foreign key',
    validation({ kind: 'foreign_key', foreign_key: { ...foreignKey, name: 'c' } }),
    'cannot validate constraint "c" of table "t": 3 rows: the referenced row of table "p" does not exist (column "n")',
  ],
];

test.each(transitions)('the last error of a transition: %s', async (_, start, lastError) => {
  await using db = await opened();
  const id = await db.start(start);
  expect(await outcomeOf(db.until(id, 'ready'))).toThrow('failed');
  expect((await db.get(id)).last_error).toBe(lastError);
  expect(lastError).not.toMatch(marks);
});

const scan = { kind: 'scan', table: 't', scope: 's' };
const column = (name: string) => ({ kind: 'col', scope: 's', column: name });
/** Changes of all rows by values that are computed from them. */
const changed = (kind: string, table: string, fields: Readonly<Record<string, object>>) => ({
  kind,
  table,
  relation: {
    nodes: {
      s: scan,
      o: {
        kind: 'project',
        input: 's',
        scope: 'o',
        fields: Object.entries(fields).map(([as, expr]) => ({ as, expr })),
      },
    },
    root: { node: 'o', cardinality: 'many' },
  },
});
const int64 = (value: string) => ({ kind: 'lit', value: { type: 'int64', value } });
const binary = (op: string, left: object, right: object) => ({ kind: 'binary', op, left, right });

const problems: readonly (readonly [what: string, reason: string, ...statements: object[]])[] = [
  [
    'a unique index over stored rows',
    'constraint_violation',
    { kind: 'create_index', table_id: 2, index: { name: 'u', columns: ['v'], unique: true } },
  ],
  [
    'an index over a long value',
    'invalid',
    { kind: 'create_index', table_id: 2, index: { name: 'l', columns: ['long'] } },
  ],
  [
    'a foreign key over stored rows',
    'constraint_violation',
    { kind: 'create_foreign_key', table_id: 2, foreign_key: foreignKey },
  ],
  [
    'a primary key that stored rows have',
    'constraint_violation',
    changed('create', 't', { id: column('id') }),
  ],
  [
    'a key that two computed rows have',
    'constraint_violation',
    changed('create', 't', { id: binary('sub', column('id'), column('id')) }),
  ],
  [
    'a reference to nothing',
    'constraint_violation',
    {
      kind: 'create_table',
      table: {
        name: 'c',
        columns: [{ name: 'id', type: 'int64', nullable: false }],
        primary_key: ['id'],
        indexes: [],
        foreign_keys: [{ ...foreignKey, columns: ['id'] }],
      },
    },
    changed('create', 'c', { id: column('id') }),
  ],
  [
    'a division',
    'division_by_zero',
    changed('update', 't', {
      id: column('id'),
      n: binary('div', column('id'), binary('sub', column('id'), column('id'))),
    }),
  ],
  [
    'an overflow',
    'numeric_overflow',
    changed('update', 't', {
      id: column('id'),
      n: binary('mul', column('id'), int64('9223372036854775807')),
    }),
  ],
  [
    'a target that does not exist',
    'mutation_target_not_found',
    changed('delete', 't', { id: binary('add', column('id'), int64('1000000')) }),
  ],
  [
    'a target that is named twice',
    'mutation_target_ambiguous',
    changed('delete', 't', { id: column('n') }),
  ],
];

test.each(problems)('the problem of a program: %s', async (_, reason, ...statements) => {
  await using db = await opened();
  const named = statements.map((statement, i) => ({ name: `s${i}`, ...statement }));
  const result = named.length > 1 ? { result: named.at(-1)?.name } : {};
  const body = { statements: named, ...result };
  const reply = await db.send('POST', '/execute', body);
  expect([reply.status, (reply.json as { reason: string }).reason, reply.text]).toEqual([
    422,
    reason,
    expect.not.stringMatching(marks),
  ]);
});
