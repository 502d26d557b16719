/** API keys as immutable records. A record contains the hash of the key, never its text. */

import type { Claims, PrincipalLimits } from './claims.ts';
import type { Grants } from './grant.ts';
import type { Principal } from './principal.ts';
import type { Scopes } from './scope.ts';
import { type PolicyMode, visibilityOf } from './visibility.ts';

/** The permissions of a key, which never change. */
export interface KeyRights {
  readonly name: string;
  readonly scopes: Scopes;
  readonly grants: Grants;
  readonly policies: PolicyMode;
  readonly claims: Claims;
  readonly limits: PrincipalLimits;
  /** Time from the creation to the expiry; absent if the key never expires. A replacement has the same time. */
  readonly lifeMs?: number;
}

export interface ApiKey extends KeyRights {
  /** 12 base62 digits. */
  readonly id: string;
  /** SHA-256 of the text of the key. */
  readonly hash: Uint8Array;
  readonly createdAtMs: number;
  /** The creator: the id of a key, issuer and subject of a token, `open`, `offline` or `bootstrap`. */
  readonly by: string;
  readonly expiresAtMs?: number;
  readonly revokedAtMs?: number;
  /** The id of the key that this one replaces. */
  readonly replaces?: string;
}

/** Why a key is not accepted; `undefined` if it is live. */
export function endOf(key: ApiKey, nowMs: number): 'revoked' | 'expired' | undefined {
  if (key.revokedAtMs !== undefined) return 'revoked';
  return key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs ? 'expired' : undefined;
}

export function isLive(key: ApiKey, nowMs: number): boolean {
  return endOf(key, nowMs) === undefined;
}

/** Returns the principal of requests with this key. A key with the scope `admin` bypasses policies. */
export function principalOfKey(key: ApiKey): Principal {
  const { id, scopes, grants, claims, limits } = key;
  const isAdmin = scopes.has('admin');
  return {
    kind: 'key',
    id,
    scopes,
    visibility: visibilityOf(grants, isAdmin ? 'bypass' : key.policies),
    claims,
    limits,
  };
}
