/** A database of notes with owners and teams, its row policies, and programs of its users. */

import type { Claims, Principal } from '#access';
import type { Policies, PolicyCondition, PolicyExpressionOf } from '#catalog';
import type { Engine, RequestContext } from '#engine';
import { DatabaseError } from '#failure';
import type { Program } from '#pir';
import { checkProgram } from '#wire';
import { visibilityOf } from '../../src/access/visibility.ts';
import { memoryEngine } from '../engine/support/memory-engine.ts';
import { keyPrincipal } from '../support/principals.ts';

type Part = PolicyExpressionOf<number>;

export const column = (scope: string, id: number): Part => ({ kind: 'col', scope, column: id });
export const claim = (name: string): Part => ({ kind: 'claim', name });
export const equal = (left: Part, right: Part): Part => ({
  ...{ kind: 'binary', op: 'eq' },
  left,
  right,
});
export const either = (left: Part, right: Part): Part => ({
  ...{ kind: 'binary', op: 'or' },
  left,
  right,
});

/** Tables: team (1), member (2), note (3), secret (4). Columns are numbered in their order. */
export const tables = [
  table('team', ['id:int64', 'name:text']),
  table('member', ['id:int64', 'team:int64', 'user:text']),
  table('note', ['id:int64', 'owner:text', 'team:int64?', 'body:text', 'size:int64']),
  table('secret', ['id:int64', 'word:text']),
];

function table(name: string, columns: readonly string[]) {
  return {
    kind: 'create_table',
    name: `make_${name}`,
    table: {
      name,
      columns: columns.map((text) => {
        const [column = '', type = ''] = text.split(':');
        const nullable = type.endsWith('?');
        return { name: column, type: type.replace('?', ''), ...(nullable && { nullable }) };
      }),
      primary_key: ['id'],
    },
  };
}

/** The row of a note belongs to its owner, or to a team of which the user is a member. */
const ownOrTeam: PolicyCondition = {
  where: either(equal(column('row', 2), claim('sub')), { kind: 'exists', node: 'mine' }),
  nodes: {
    members: { kind: 'scan', table: 2, scope: 'm' },
    mine: {
      kind: 'filter',
      input: 'members',
      predicate: {
        ...{ kind: 'binary', op: 'and' },
        left: equal(column('m', 2), column('row', 3)),
        right: equal(column('m', 3), claim('sub')),
      },
    },
  },
};

const ofUser: PolicyCondition = { where: equal(column('row', 3), claim('sub')) };

export const notesPolicies: Policies = {
  claims: [{ name: 'sub', type: 'text' }],
  tables: [
    { table: 1, read: 'all' },
    { table: 2, read: ofUser, update: ofUser, delete: ofUser },
    {
      ...{ table: 3, read: ownOrTeam },
      create: { where: equal(column('row', 2), claim('sub')) },
      ...{ update: 'same_as_read', delete: { where: equal(column('row', 2), claim('sub')) } },
    },
  ],
};

export async function notesEngine(policies: Policies = notesPolicies): Promise<Engine> {
  const engine = await memoryEngine();
  await fillNotes(engine, policies);
  return engine;
}

/** Makes the tables with their rows and policies in an empty database. */
export async function fillNotes(engine: Engine, policies: Policies): Promise<void> {
  await send(engine, undefined, tables);
  await send(engine, undefined, [
    create('team', [
      ['1', 'red'],
      ['2', 'blue'],
    ]),
    create('member', [
      ['1', '1', 'ada'],
      ['2', '2', 'bob'],
    ]),
    create('note', [
      ['1', 'ada', null, 'a1', '10'],
      ['2', 'bob', '1', 'b2', '0'],
      ['3', 'bob', '2', 'b3', '0'],
      ['4', 'eve', null, 'e4', '0'],
    ]),
    create('secret', [['1', 'x']]),
  ]);
  await setPolicies(engine, policies);
}

export async function setPolicies(engine: Engine, policies: Policies | undefined): Promise<void> {
  const statements = [{ kind: 'set_policies', name: 'policies', policies } as const];
  await engine.execute({ program: () => ({ statements }), authority: 'migration' });
}

/** A principal to whom policies apply. */
export function user(sub: string, claims: Claims = { sub }): Principal {
  return keyPrincipal(sub, {
    ...{ kind: 'token', visibility: visibilityOf(undefined, 'enforce') },
    claims,
  });
}

/** Runs statements; returns the result of the last one as objects. */
export async function send(
  engine: Engine,
  principal: Principal | undefined,
  statements: readonly object[],
): Promise<readonly Record<string, unknown>[]> {
  const last = statements.at(-1) as { name: string; kind: string };
  const isShown = last.kind !== 'create_table';
  const program = checkProgram({ statements, ...(isShown && { result: last.name }) });
  const context = engine.requestContext(principal === undefined ? {} : { principal });
  const { result } = await executed(engine, program, context);
  const names = result?.columns.map(({ name }) => name) ?? [];
  return (result?.rows ?? []).map((row) =>
    Object.fromEntries(names.map((name, i) => [name, row[i]])),
  );
}

/** Nothing is counted in detail, so that statements of one row run without operators. */
async function executed(engine: Engine, program: Program, context: RequestContext) {
  engine.trace(context, false);
  try {
    return await engine.execute({ program: () => program }, context);
  } finally {
    context.close();
  }
}

/** Returns the reason and the detail with which the statements fail. */
export async function refusal(
  engine: Engine,
  principal: Principal | undefined,
  statements: readonly object[],
): Promise<string> {
  try {
    await send(engine, principal, statements);
  } catch (error) {
    if (error instanceof DatabaseError) return `${error.failure.reason}: ${error.failure.detail}`;
    throw error;
  }
  return 'none';
}

/** A statement that creates rows, or changes rows by their key. */
export function create(
  table: string,
  rows: readonly (readonly (string | null)[])[],
  kind = 'create',
  columns: readonly string[] | undefined = undefined,
): object {
  const definition = tables.find((one) => one.table.name === table)?.table.columns ?? [];
  const given = columns ? definition.filter(({ name }) => columns.includes(name)) : definition;
  return {
    ...{ kind, name: `${kind}_${table}`, table },
    relation: {
      nodes: { rows: { kind: 'rows', scope: 'r', columns: given, rows } },
      root: { node: 'rows', cardinality: 'many' },
    },
  };
}

/** A query of all rows of a table, by key. */
export function all(table: string): object {
  return query({
    nodes: {
      scan: { kind: 'scan', table, scope: 't' },
      root: {
        ...{ kind: 'order', input: 'scan' },
        terms: [{ expr: { kind: 'col', scope: 't', column: 'id' } }],
      },
    },
    root: { node: 'root', cardinality: 'many' },
  });
}

export function query(relation: object, name = 'query'): object {
  return { kind: 'query', name, relation };
}
