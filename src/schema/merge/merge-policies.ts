/** Merges the policies of a database and of a schema file. Pure. */

import {
  type Catalog,
  columnById,
  isSamePolicies,
  type Policies,
  policyActions,
  policyHash,
  type TablePolicy,
  tableById,
  withReferences,
} from '#catalog';
import type { DesiredPolicies } from '../policy/desired-policies.ts';
import type { Renumbering } from './renumber.ts';

interface PolicySides {
  /** The common base of both schemas, whose names the accepted hashes may contain. */
  readonly base: Catalog;
  readonly file: { readonly catalog: Catalog; readonly policies: DesiredPolicies };
  readonly theirs: { readonly catalog: Catalog; readonly policies: Policies | undefined };
  /** The merged schema. */
  readonly after: Catalog;
  /** The new ids of objects of the file. */
  readonly renumbering: Renumbering;
  /** Returns whether a database of the project had policies with this hash. */
  readonly wasAccepted: (hash: string) => boolean;
}

interface MergedPolicies {
  readonly policies: DesiredPolicies;
  readonly conflict?: string;
}

/** Merges the policies as a whole: the side that changed them wins. A merge never removes policies of the file because the database has none. */
export function mergePolicies(sides: PolicySides): MergedPolicies {
  const merged = chosenPolicies(sides);
  if (typeof merged.policies === 'string' || isWithin(sides.after, merged.policies)) return merged;
  return { ...merged, conflict: 'policies: they read a table or column that was deleted' };
}

function chosenPolicies(sides: PolicySides): MergedPolicies {
  const { base, file, theirs, renumbering, wasAccepted } = sides;
  const there = theirs.policies;
  if (file.policies === 'absent') return { policies: there ?? 'absent' };
  const ours = file.policies === 'none' ? undefined : withPolicyIds(file.policies, renumbering);
  const kept: MergedPolicies = { policies: ours ?? 'none' };
  if (there === undefined || isSamePolicies(ours, there)) return kept;
  const isKnown = (catalog: Catalog, policies: Policies | undefined) =>
    [base, catalog].some(
      (names) =>
        (policies === undefined || isWithin(names, policies)) &&
        wasAccepted(policyHash(withPolicies(names, policies))),
    );
  const before = file.policies === 'none' ? undefined : file.policies;
  if (isKnown(file.catalog, before)) return { policies: there };
  if (isKnown(theirs.catalog, there)) return kept;
  return { ...kept, conflict: 'policies: changed in the database and in the file' };
}

function withPolicies(catalog: Catalog, policies: Policies | undefined): Catalog {
  const { policies: _, ...others } = catalog;
  return policies === undefined ? others : { ...others, policies };
}

/** Returns whether the catalog contains every table and column of the policies. */
function isWithin(catalog: Catalog, policies: Policies): boolean {
  let isWhole = true;
  const has = (table: number, column?: number) => {
    const found = tableById(catalog, table);
    isWhole &&=
      found !== undefined && (column === undefined || columnById(found, column) !== undefined);
  };
  withPolicyReferences(policies, {
    table: (id) => {
      has(id);
      return id;
    },
    column: (table, id) => {
      has(table, id);
      return id;
    },
  });
  return isWhole;
}

/** Returns the policies of a file with the new ids of its objects. */
export function withPolicyIds(policies: Policies, { tables, columns }: Renumbering): Policies {
  const renumbered = withPolicyReferences(policies, {
    table: (id) => tables.get(id) ?? id,
    column: (table, id) => columns.get(table)?.get(id) ?? id,
  });
  return {
    ...renumbered,
    tables: renumbered.tables.toSorted((left, right) => left.table - right.table),
  };
}

interface IdChanges {
  table(id: number): number;
  column(table: number, id: number): number;
}

function withPolicyReferences({ claims, tables }: Policies, changes: IdChanges): Policies {
  return { claims, tables: tables.map((policy) => changedPolicy(policy, changes)) };
}

function changedPolicy(policy: TablePolicy, changes: IdChanges): TablePolicy {
  const rules = policyActions.flatMap((action) => {
    const rule = policy[action];
    if (rule === undefined) return [];
    const changed = typeof rule === 'string' ? rule : withReferences(rule, policy.table, changes);
    return [[action, changed] as const];
  });
  return { table: changes.table(policy.table), ...Object.fromEntries(rules) };
}
