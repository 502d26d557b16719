/** The tables and columns that policies read. A change that takes them away is refused. */

import { fail } from '#failure';
import { tableById } from '../lookup.ts';
import type { Catalog, Table } from '../table.ts';
import type { Column } from '../table-parts.ts';
import { type Policies, type PolicyAction, type PolicyCondition, policyActions } from './policy.ts';
import { withReferences } from './walk-policy.ts';

/** A table or a column that the policy of the table `owner` reads. All are ids. */
interface PolicyUse {
  readonly owner: number;
  readonly table: number;
  readonly column?: number;
}

const known = new WeakMap<Policies, readonly PolicyUse[]>();

export function usesOf(policies: Policies): readonly PolicyUse[] {
  let uses = known.get(policies);
  if (uses === undefined) {
    uses = conditionsOf(policies).flatMap(({ table, condition }) => usesIn(condition, table));
    known.set(policies, uses);
  }
  return uses;
}

interface OwnedCondition {
  readonly table: number;
  readonly action: PolicyAction;
  readonly condition: PolicyCondition;
}

/** Returns the conditions, in the order of the tables and actions. */
export function conditionsOf({ tables }: Policies): readonly OwnedCondition[] {
  return tables.flatMap((policy) =>
    policyActions.flatMap((action) => {
      const rule = policy[action];
      if (rule === undefined || typeof rule === 'string') return [];
      return { table: policy.table, action, condition: rule };
    }),
  );
}

function usesIn(condition: PolicyCondition, owner: number): readonly PolicyUse[] {
  const uses: PolicyUse[] = [];
  withReferences(condition, owner, {
    table: (table) => {
      uses.push({ owner, table });
      return table;
    },
    column: (table, column) => {
      uses.push({ owner, table, column });
      return column;
    },
  });
  return uses;
}

/** Throws `invalid` if a policy reads the column. `what` begins the message. */
export function requireColumnUnread(
  catalog: Catalog,
  table: Table,
  column: Column,
  what: string,
): void {
  const use = usesWithin(catalog).find((one) => one.table === table.id && one.column === column.id);
  if (use !== undefined) throw inUse(catalog, use, what);
}

/** Throws `invalid` if the policy of another table reads the table. */
export function requireTableUnread(catalog: Catalog, { id }: Table, what: string): void {
  const use = usesWithin(catalog).find(({ owner, table }) => table === id && owner !== id);
  if (use !== undefined) throw inUse(catalog, use, what);
}

function usesWithin({ policies }: Catalog): readonly PolicyUse[] {
  return policies === undefined ? [] : usesOf(policies);
}

function inUse(catalog: Catalog, { owner }: PolicyUse, what: string): Error {
  const name = tableById(catalog, owner)?.name;
  return fail(
    'invalid',
    `${what}: the row policy of table "${name}" reads it; change that policy first`,
  );
}
