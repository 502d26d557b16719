/** Policies in the form of schema files and of the HTTP interface: claims and tables by name. */

import { namedPolicies } from '../policy/named-policies.ts';
import type { ClaimType, Policies, PolicyAction, PolicyRuleOf } from '../policy/policy.ts';
import type { Catalog } from '../table.ts';

interface PolicyDocument {
  readonly claims: Readonly<Record<string, ClaimType>>;
  readonly tables: Readonly<
    Record<string, { readonly [Action in PolicyAction]?: PolicyRuleOf<string> }>
  >;
}

export function toPolicyDocument(catalog: Catalog, policies: Policies): PolicyDocument {
  const { claims, tables } = namedPolicies(catalog, policies);
  return {
    claims: Object.fromEntries(claims.map(({ name, type }) => [name, type])),
    tables: Object.fromEntries(tables.map(({ table, ...rules }) => [table, rules])),
  };
}
