/** Principals for tests. */

import type { Principal } from '#access';
import { everyScope } from '../../src/access/scope.ts';
import { type Visibility, visibilityOf } from '../../src/access/visibility.ts';

/** A principal with an API key, all scopes and the given differences. */
export function keyPrincipal(id: string, differences: Partial<Principal> = {}): Principal {
  return {
    kind: 'key',
    id,
    scopes: everyScope,
    visibility: visibilityOf(undefined),
    policies: 'bypass',
    claims: {},
    limits: {},
    ...differences,
  };
}

/** A principal that may read one table. Principals with different tables have different classes. */
export function readerOf(id: string, table: number): Principal {
  return keyPrincipal(id, { visibility: sightOf(table) });
}

function sightOf(table: number): Visibility {
  return visibilityOf([{ table, actions: new Set(['read']) }]);
}
