/** Tables for tests of statements that write. */

import { openSql, type SqlOutcome, type SqlSession } from '../support/run-sql.ts';

const nullable = true;
const literal = (value: unknown) => ({ default: { kind: 'literal', value } });
const generated = (func: string) => ({ default: { kind: 'generator', func } });

const tables = [
  {
    name: 'person',
    columns: [
      { name: 'id', type: 'int64', ...generated('increment') },
      { name: 'email', type: 'text' },
      { name: 'name', type: 'text', format: 'varchar(5)', ...literal('none') },
      { name: 'age', type: 'int64', format: 'int2', nullable },
    ],
    primary_key: ['id'],
    indexes: [{ name: 'person_email_key', columns: ['email'], unique: true }],
  },
  {
    name: 'score',
    columns: [
      { name: 'person_id', type: 'int64' },
      { name: 'game', type: 'text' },
      { name: 'points', type: 'int64', format: 'int4', nullable },
    ],
    primary_key: ['person_id', 'game'],
    foreign_keys: [
      {
        name: 'score_person_id_fk',
        columns: ['person_id'],
        ref_table: 'person',
        ref_columns: ['id'],
      },
    ],
  },
  {
    name: 'note',
    columns: [
      { name: 'text', type: 'text', nullable },
      {
        ...{ name: 'svc_rowid', type: 'int64', format: 'hidden' },
        ...generated('increment'),
      },
    ],
    primary_key: ['svc_rowid'],
  },
];

export interface WriteSession extends AsyncDisposable {
  readonly session: SqlSession;
  run(text: string, ...parameters: (string | null)[]): Promise<SqlOutcome>;
  /** The tag and the rows of a statement, or the SQLSTATE of its error. */
  result(text: string, ...parameters: (string | null)[]): Promise<unknown>;
}

/** Opens a database with two persons and three scores. */
export async function openWrites(): Promise<WriteSession> {
  const session = await openSql();
  await session.program(
    ...tables.map((table) => ({ kind: 'create_table', name: `make_${table.name}`, table })),
  );
  const run = (text: string, ...parameters: (string | null)[]) => session.run(text, parameters);
  const result = async (text: string, ...parameters: (string | null)[]) => {
    const outcome = await run(text, ...parameters);
    if (outcome.kind === 'failed') return outcome.sqlstate;
    return outcome.columns === undefined ? outcome.tag : [outcome.tag, ...outcome.rows];
  };
  await result(
    "insert into person (email, name, age) values ('a@x', 'Ann', 30), ('b@x', 'Bob', null)",
  );
  await result("insert into score values (1, 'go', 5), (1, 'chess', 7), (2, 'go', null)");
  return { session, run, result, [Symbol.asyncDispose]: () => session.engine.close() };
}
