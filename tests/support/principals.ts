/** Principals for tests. */

import type { Principal } from '#access';
import type { Grant } from '../../src/access/grant.ts';
import { everyScope } from '../../src/access/scope.ts';
import { visibilityOf } from '../../src/access/visibility.ts';

/** A principal with an API key, all scopes and the given differences. */
export function keyPrincipal(id: string, differences: Partial<Principal> = {}): Principal {
  return {
    kind: 'key',
    id,
    scopes: everyScope,
    visibility: visibilityOf(undefined, 'bypass'),
    claims: {},
    limits: {},
    ...differences,
  };
}

/** A principal with a token that may read some tables. Principals with different tables have different classes. */
export function readerOf(id: string, ...tables: number[]): Principal {
  const grants = tables.map((table): Grant => ({ table, actions: new Set(['read']) }));
  return keyPrincipal(id, { kind: 'token', visibility: visibilityOf(grants, 'bypass') });
}
