/** The rule of a table for an action. */

import { firstIndex } from '#base';
import type { Catalog } from '../table.ts';
import type { Policies, PolicyAction, PolicyCondition, TablePolicyOf } from './policy.ts';

/** Returns the condition for the rows of a table; `nobody` permits no row. */
export function conditionFor(
  policies: Policies,
  table: number,
  action: PolicyAction,
): 'all' | 'nobody' | PolicyCondition {
  const policy = policyOf(policies, table);
  const rule = policy?.[action];
  if (rule !== 'same_as_read') return rule ?? 'nobody';
  const read = policy?.read;
  return read === undefined || read === 'same_as_read' ? 'nobody' : read;
}

/** Returns whether a table has an entry in the policies. */
export function hasPolicy({ policies }: Pick<Catalog, 'policies'>, table: number): boolean {
  return policies !== undefined && policyOf(policies, table) !== undefined;
}

function policyOf({ tables }: Policies, table: number): TablePolicyOf<number> | undefined {
  const at = firstIndex(0, tables.length, (i) => (tables[i] as { table: number }).table >= table);
  const found = tables[at];
  return found?.table === table ? found : undefined;
}
