/** The scopes in the claims of a token, by the names that the issuer uses. */

import { type Scope, type Scopes, scopes } from '#access';
import { type JsonObject, memberOf } from './strict-json.ts';

/** For each scope the names that mean it. */
export type ScopeNames = Readonly<Record<Scope, readonly string[]>>;

export const defaultScopeNames: ScopeNames = {
  read: ['svc:read'],
  write: ['svc:write'],
  schema: ['svc:schema'],
  metrics: ['svc:metrics'],
  admin: ['svc:admin'],
};

export function scopesIn(claims: JsonObject, names: ScopeNames): Scopes {
  const words = wordsIn(claims);
  return new Set(scopes.filter((scope) => names[scope].some((name) => words.includes(name))));
}

/** Returns the words of `scope`, a text, or else of `scp`, an array. */
function wordsIn(claims: JsonObject): readonly unknown[] {
  if (Object.hasOwn(claims, 'scope')) {
    const text = memberOf(claims, 'scope');
    return typeof text === 'string' ? text.split(' ') : [];
  }
  const words = memberOf(claims, 'scp');
  return Array.isArray(words) ? words : [];
}
