/** Converts the policies of a file to their stored form, by the ids of the tables and columns of the file. */

import { invariant } from '#base';
import {
  type Catalog,
  columnByName,
  type Policies,
  type PolicyConditionOf,
  type TablePolicy,
  tableByName,
  withReferences,
} from '#catalog';
import type { FilePolicies, FilePolicy } from './file-policies.ts';

/** Returns the policies of a file without errors, whose tables `catalog` contains. */
export function resolvePolicies(catalog: Catalog, { claims, tables }: FilePolicies): Policies {
  return {
    claims: claims
      .map(({ name, type }) => {
        invariant(type !== undefined, 'the type was read');
        return { name: name.value, type };
      })
      .sort((left, right) => (left.name < right.name ? -1 : 1)),
    tables: tables
      .map((policy) => resolvePolicy(catalog, policy))
      .sort((left, right) => left.table - right.table),
  };
}

function resolvePolicy(catalog: Catalog, { table, rules }: FilePolicy): TablePolicy {
  const resolved = rules.map(({ action, rule }) => {
    invariant(rule !== undefined, 'the rule was read');
    const of = typeof rule === 'string' ? rule : resolveCondition(catalog, table.value, rule);
    return [action, of] as const;
  });
  return { table: tableOf(catalog, table.value).id, ...Object.fromEntries(resolved) };
}

function resolveCondition(catalog: Catalog, own: string, condition: PolicyConditionOf<string>) {
  return withReferences(condition, own, {
    table: (name) => tableOf(catalog, name).id,
    column: (table, name) => {
      const column = columnByName(tableOf(catalog, table), name);
      invariant(column !== undefined, 'the column was checked');
      return column.id;
    },
  });
}

function tableOf(catalog: Catalog, name: string) {
  const table = tableByName(catalog, name);
  invariant(table !== undefined, 'the table was checked');
  return table;
}
