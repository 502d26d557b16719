/** API keys as administrators see them. */

import type { Claims } from './claims.ts';
import type { LimitWishes } from './key-wish.ts';
import type { PolicyMode } from './visibility.ts';

/** A key without its secret and its hash. Times are RFC 3339. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** If absent, the key applies to all tables. */
  readonly grants?: readonly string[];
  readonly claims: Claims;
  readonly policies: PolicyMode;
  readonly limits: LimitWishes;
  readonly created_at: string;
  readonly by: string;
  /** If absent, the key never expires. */
  readonly expires_at?: string;
  readonly revoked_at?: string;
  readonly replaces?: string;
  readonly last_used_at?: string;
}

/** A new key. `key` is its text, which is never shown again. */
export interface NewKeyRecord extends KeyRecord {
  readonly key: string;
}

export interface KeyList {
  readonly auth_version: number;
  readonly keys: readonly KeyRecord[];
}
