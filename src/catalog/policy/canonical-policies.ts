/** The canonical text of policies, and its hash. Objects have their members in the order of their names. */

import type { Catalog } from '../table.ts';
import { namedPolicies } from './named-policies.ts';
import type { Policies } from './policy.ts';

/** Returns `sha256:` and 64 lowercase hex digits. Policies with the same names, types and conditions have the same hash. */
export function policyHash(catalog: Catalog): string {
  const { policies } = catalog;
  const text = policies === undefined ? 'none' : canonicalText(namedPolicies(catalog, policies));
  return `sha256:${new Bun.CryptoHasher('sha256').update(text).digest('hex')}`;
}

export function isSamePolicies(one: Policies | undefined, other: Policies | undefined): boolean {
  if (one === undefined || other === undefined || one === other) return one === other;
  return canonicalText(one) === canonicalText(other);
}

/** Returns JSON that is the same for equal values, whatever the order of their members. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, of]) => of !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, of]) => `${JSON.stringify(name)}:${canonicalText(of)}`);
  return `{${members.join(',')}}`;
}
