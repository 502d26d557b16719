/** The operations that change keys or the schema, with their events in the audit log. Programs can change the schema, too. */

import type { AuditedChangeName } from '#authentication';
import { routeAt } from './route-table.ts';

const keyChanges: ReadonlyMap<string, AuditedChangeName> = new Map([
  ['POST /auth/keys', 'key.created'],
  ['DELETE /auth/keys/:key', 'key.revoked'],
  ['POST /auth/keys/:key/rotate', 'key.rotated'],
]);

/** Returns `undefined` for a request that changes neither. */
export function auditedChangeAt(method: string, pathname: string): AuditedChangeName | undefined {
  if (method !== 'POST' && method !== 'PATCH' && method !== 'DELETE') return undefined;
  const route = routeAt(method, pathname);
  if (route === undefined) return undefined;
  const isSchema =
    route === '/schema/migrate' || route.startsWith('/tables') || route.endsWith('/cancel');
  return isSchema ? 'schema.changed' : keyChanges.get(`${method} ${route}`);
}
