/** Policies with the present names of tables and columns. */

import { invariant } from '#base';
import { columnById, tableById } from '../lookup.ts';
import type { Catalog, Table } from '../table.ts';
import {
  type NamedPolicies,
  type Policies,
  type PolicyConditionOf,
  type PolicyRuleOf,
  policyActions,
  type TablePolicy,
  type TablePolicyOf,
} from './policy.ts';
import { withReferences } from './walk-policy.ts';

/** Returns the policies with names, the tables in the order of their ids. */
export function namedPolicies(catalog: Catalog, { claims, tables }: Policies): NamedPolicies {
  return { claims, tables: tables.map((policy) => namedPolicy(catalog, policy)) };
}

function namedPolicy(catalog: Catalog, policy: TablePolicy): TablePolicyOf<string> {
  const rules = policyActions.flatMap((action) => {
    const rule = policy[action];
    if (rule === undefined) return [];
    return [[action, namedRule(catalog, policy.table, rule)] as const];
  });
  return { table: tableOf(catalog, policy.table).name, ...Object.fromEntries(rules) };
}

function namedRule(
  catalog: Catalog,
  own: number,
  rule: PolicyRuleOf<number>,
): PolicyRuleOf<string> {
  return typeof rule === 'string' ? rule : namedCondition(catalog, own, rule);
}

/** Returns the condition with names. `own` is the id of its table. */
export function namedCondition(
  catalog: Catalog,
  own: number,
  condition: PolicyConditionOf<number>,
): PolicyConditionOf<string> {
  return withReferences(condition, own, {
    table: (id) => tableOf(catalog, id).name,
    column: (table, id) => {
      const column = columnById(tableOf(catalog, table), id);
      invariant(column !== undefined, 'a column that a policy reads is not dropped');
      return column.name;
    },
  });
}

function tableOf(catalog: Catalog, id: number): Table {
  const table = tableById(catalog, id);
  invariant(table !== undefined, 'a table that a policy reads is not dropped');
  return table;
}
