/** A principal without the permissions that change the schema or the keys: pages of other origins act with these permissions only. */

import type { Principal } from './principal.ts';
import { type Scope, scopes } from './scope.ts';

const administrative: ReadonlySet<Scope> = new Set(['schema', 'admin']);

const known = new WeakMap<Principal, Principal>();

export function withoutAdministration(principal: Principal): Principal {
  const { scopes: held } = principal;
  if (held.isDisjointFrom(administrative)) return principal;
  let reduced = known.get(principal);
  if (reduced === undefined) {
    // The scope `admin` contains all others.
    const all = held.has('admin') ? new Set(scopes) : held;
    reduced = { ...principal, scopes: all.difference(administrative) };
    known.set(principal, reduced);
  }
  return reduced;
}
