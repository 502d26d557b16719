/** The rule of a table for an action. */

import type { Catalog } from '../table.ts';
import type { Policies, PolicyAction, PolicyCondition } from './policy.ts';

/** Returns the condition for the rows of a table; `nobody` permits no row. */
export function conditionFor(
  policies: Policies,
  table: number,
  action: PolicyAction,
): 'all' | 'nobody' | PolicyCondition {
  const policy = policies.tables.find((one) => one.table === table);
  const rule = policy?.[action];
  if (rule !== 'same_as_read') return rule ?? 'nobody';
  const read = policy?.read;
  return read === undefined || read === 'same_as_read' ? 'nobody' : read;
}

/** Returns whether a table has an entry in the policies. */
export function hasPolicy({ policies }: Pick<Catalog, 'policies'>, table: number): boolean {
  return policies?.tables.some((one) => one.table === table) === true;
}
