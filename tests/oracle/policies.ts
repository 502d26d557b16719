/** Row policies, row by row: what a user sees and may change. */

import type { ClaimType, NamedPolicies, PolicyAction } from '#catalog';
import { type Document, Errors } from './context.ts';
import { columnName, type Database, type OracleTable } from './database.ts';
import { bindPredicate } from './expression.ts';
import { OracleProblem } from './problem.ts';
import type { Row, Scalar } from './relation.ts';
import type { Value } from './value.ts';

/** The policies of a database, for one user. */
export interface UserPolicies {
  readonly policies: NamedPolicies;
  /** The values of the declared claims, by name. */
  readonly claims: ReadonlyMap<string, Value>;
}

const claimScalars: Readonly<Record<ClaimType, Scalar>> = {
  ...{ text: 'text', int64: 'int64', float64: 'float64', bool: 'bool' },
  ...{ uuid: 'bytes', ulid: 'bytes', xid: 'bytes' },
};

/** A table without an entry does not exist for the user. */
export function isVisible({ user }: Database, table: OracleTable): boolean {
  return user === undefined || entryOf(user, table) !== undefined;
}

/** Whether the policies permit all of the actions on the row. */
export function permits(
  database: Database,
  table: OracleTable,
  actions: readonly PolicyAction[],
  row: Row,
): boolean {
  return actions.every((action) => permitsOne(database, table, action, row));
}

/** Throws if a new row is not permitted. */
export function requirePermitted(
  database: Database,
  table: OracleTable,
  action: PolicyAction,
  rows: readonly Row[],
): void {
  if (rows.every((row) => permitsOne(database, table, action, row))) return;
  throw new OracleProblem('forbidden', 'policy_violation');
}

function entryOf({ policies }: UserPolicies, { name }: OracleTable) {
  return policies.tables.find((one) => one.table === name);
}

function permitsOne(
  database: Database,
  table: OracleTable,
  action: PolicyAction,
  row: Row,
): boolean {
  const { user } = database;
  if (user === undefined) return true;
  const entry = entryOf(user, table);
  const rule = entry?.[action];
  if (rule === undefined) return false;
  if (rule === 'all') return true;
  if (rule === 'same_as_read') {
    return entry?.read !== undefined && permitsOne(database, table, 'read', row);
  }
  const { where, nodes = {} } = rule;
  const document: Document = {
    query: { nodes, root: { node: '', cardinality: 'many' } },
    database: { ...database, user: undefined },
    errors: new Errors(),
    labels: new Set(),
    statements: new Map(),
    bindings: new Map(),
    claim: (name) => {
      const claim = user.policies.claims.find((one) => one.name === name);
      if (claim === undefined) throw new Error(`no claim ${name}`);
      const value = user.claims.get(name) ?? null;
      return { type: claimScalars[claim.type], value };
    },
  };
  const columns = table.columns.map(({ id, type, nullable }) => ({
    ...{ name: columnName(table, id), type, nullable },
  }));
  const place = {
    ...{ document, visible: new Map([['row', columns]]), siblings: new Map() },
    frontier: undefined,
  };
  return bindPredicate(where, place).evaluate({ row }) === true;
}
