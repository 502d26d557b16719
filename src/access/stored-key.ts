/** The stored form of a key (docs/storage-format.md, "Access records"). */

import { invariant } from '#base';
import { decodeFrame, encodeFrame } from '#catalog';
import type { ApiKey } from './api-key.ts';
import type { Claims, PrincipalLimits } from './claims.ts';
import { type Action, actions, type Grant } from './grant.ts';
import { isKeyId } from './key-text.ts';
import { type Scopes, scopes } from './scope.ts';
import type { PolicyMode } from './visibility.ts';

interface StoredKey {
  readonly id: string;
  readonly name: string;
  /** 64 hexadecimal digits. */
  readonly hash: string;
  readonly scopes: readonly string[];
  /** If absent, the key applies to all tables. */
  readonly grants?: readonly (readonly [table: number | '*', actions: readonly string[]])[];
  readonly policies: string;
  readonly claims: Claims;
  readonly limits: PrincipalLimits;
  readonly life?: number;
  readonly created_at: number;
  readonly by: string;
  readonly expires_at?: number;
  readonly revoked_at?: number;
  readonly replaces?: string;
}

export function encodeKey(key: ApiKey): Uint8Array {
  const { id, name, hash, grants, policies, claims, limits, lifeMs, by, replaces } = key;
  const stored: Record<keyof StoredKey, unknown> = {
    id,
    name,
    hash: hash.toHex(),
    scopes: [...key.scopes],
    grants: grants?.map(({ table, actions: held }) => [table, [...held]]),
    policies,
    claims,
    limits,
    life: lifeMs,
    created_at: key.createdAtMs,
    by,
    expires_at: key.expiresAtMs,
    revoked_at: key.revokedAtMs,
    replaces,
  };
  return encodeFrame(stored);
}

/** Decodes the record of a key. Throws `catalog_corrupt` if it is damaged, or was written by a newer version of svc. */
export function decodeKey(bytes: Uint8Array): ApiKey {
  return decodeFrame(bytes, 'the record of an API key', (content) => {
    const stored = content as StoredKey;
    const { id, name, hash, policies, claims, limits, by, replaces } = stored;
    invariant(isKeyId(id) && /^[0-9a-f]{64}$/.test(hash), 'a key has an id and a hash');
    invariant(
      [name, by].every((text) => typeof text === 'string'),
      'a key has a name and a creator',
    );
    invariant(policies === 'enforce' || policies === 'bypass', 'a key has a policy mode');
    invariant(isObject(claims) && isObject(limits), 'a key has claims and limits');
    return {
      id,
      name,
      hash: Uint8Array.fromHex(hash),
      scopes: loadScopes(stored.scopes),
      grants: stored.grants === undefined ? undefined : stored.grants.map(loadGrant),
      policies: policies as PolicyMode,
      claims,
      limits,
      createdAtMs: loadTime(stored.created_at),
      by,
      ...(stored.life !== undefined && { lifeMs: loadTime(stored.life) }),
      ...(stored.expires_at !== undefined && { expiresAtMs: loadTime(stored.expires_at) }),
      ...(stored.revoked_at !== undefined && { revokedAtMs: loadTime(stored.revoked_at) }),
      ...(replaces !== undefined && { replaces }),
    };
  });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function loadScopes(words: readonly string[]): Scopes {
  invariant(
    words.length > 0 && words.every((word) => (scopes as readonly string[]).includes(word)),
    'a key has known scopes',
  );
  return new Set(words as (typeof scopes)[number][]);
}

function loadGrant([table, words]: readonly [number | '*', readonly string[]]): Grant {
  invariant(table === '*' || Number.isSafeInteger(table), 'a grant has a table');
  invariant(
    words.every((word) => actions.includes(word as Action)),
    'a grant has known actions',
  );
  return { table, actions: new Set(words as Action[]) };
}

function loadTime(value: number): number {
  invariant(Number.isSafeInteger(value), 'a time is an integer');
  return value;
}
