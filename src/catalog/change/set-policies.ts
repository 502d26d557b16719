/** The change `set_policies`: all row policies at once. They are not part of the schema, so its version stays. */

import { fail } from '#failure';
import { catalogLimits } from '../limits.ts';
import { isSamePolicies } from '../policy/canonical-policies.ts';
import { partsOfCondition } from '../policy/parts.ts';
import type { Policies } from '../policy/policy.ts';
import { conditionsOf, usesOf } from '../policy/uses.ts';
import type { Catalog } from '../table.ts';
import { requireNoReplacement } from '../transition/admission.ts';
import { type Changed, changed, requireColumn, requireTable } from './change.ts';

/** Replaces the policies; `undefined` removes them. The types of the conditions must be checked already. */
export function setPolicies(catalog: Catalog, policies: Policies | undefined): Changed {
  const { policies: before, ...rest } = catalog;
  if (isSamePolicies(before, policies)) return undefined;
  if (policies === undefined) return changed(rest);
  requireKnown(catalog, policies);
  return changed({ ...rest, policies });
}

function requireKnown(catalog: Catalog, policies: Policies): void {
  for (const { table } of policies.tables) requireTable(catalog, table);
  for (const { table: id, action, condition } of conditionsOf(policies)) {
    const { name } = requireTable(catalog, id);
    const parts = partsOfCondition(condition);
    const { policyParts: max } = catalogLimits;
    if (parts <= max) continue;
    const detail = `the ${action} policy of table "${name}" has at most ${max} expressions and nodes, this would be ${parts}`;
    throw fail('invalid', detail);
  }
  for (const { owner, table: id, column } of usesOf(policies)) {
    const table = requireTable(catalog, id);
    if (column === undefined) continue;
    const { name } = requireColumn(table, column);
    const what = `the row policy of table "${requireTable(catalog, owner).name}" cannot read column "${name}" of table "${table.name}"`;
    requireNoReplacement(table, [column], what);
  }
}

/** Returns the policies without the entry of a deleted table. They stay in force even if no entry is left. */
export function withoutPolicyOf(policies: Policies, table: number): Policies {
  const tables = policies.tables.filter((policy) => policy.table !== table);
  return tables.length === policies.tables.length ? policies : { ...policies, tables };
}
