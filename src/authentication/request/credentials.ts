/** Accepted credentials in the cache. Each one knows whether it is still valid. */

import type { Principal } from '#access';
import type { NamedTables } from '../token/grants.ts';
import type { TokenKey } from '../token/key-set.ts';
import { type BoundToken, boundAgain } from '../token/token-principal.ts';
import type { IssuerKeys } from '../token/verifier.ts';

export interface Credential {
  /** Returns the principal, or `undefined` if the credential must be checked again. */
  principalAt(nowMs: number): Principal | undefined;
}

interface KeyState {
  readonly version: number;
}

export class KeyCredential implements Credential {
  private readonly principal: Principal;
  private readonly keys: () => KeyState;
  private readonly version: number;
  private readonly endMs: number;

  constructor(principal: Principal, keys: () => KeyState, endMs: number) {
    this.principal = principal;
    this.keys = keys;
    this.version = keys().version;
    this.endMs = endMs;
  }

  principalAt(nowMs: number): Principal | undefined {
    return nowMs < this.endMs && this.keys().version === this.version ? this.principal : undefined;
  }
}

/** How long a verified token is valid: until its expiry and the leeway, while the issuer has its key. */
export class TokenLife {
  private readonly key: TokenKey;
  private readonly endMs: number;
  private readonly keys: IssuerKeys;
  /** The last set of keys that contained the key; -1 before the first check. */
  private generation = -1;

  constructor(key: TokenKey, endMs: number, keys: IssuerKeys) {
    this.key = key;
    this.endMs = endMs;
    this.keys = keys;
  }

  isValidAt(nowMs: number): boolean {
    return nowMs < this.endMs && this.isKeyCurrent();
  }

  private isKeyCurrent(): boolean {
    const { current } = this.keys;
    if (current.generation === this.generation) return true;
    if (!current.includes(this.key)) return false;
    this.generation = current.generation;
    return true;
  }
}

/** A token is never verified again while its key exists, so that a full queue of verifications cannot lock it out. */
export class TokenCredential implements Credential {
  private readonly life: TokenLife;
  private readonly tables: NamedTables;
  private bound: BoundToken;
  private catalog: object;

  constructor(bound: BoundToken, life: TokenLife, tables: NamedTables) {
    this.life = life;
    this.tables = tables;
    this.bound = bound;
    this.catalog = tables.identity();
  }

  principalAt(nowMs: number): Principal | undefined {
    if (!this.life.isValidAt(nowMs)) return undefined;
    if (this.bound.grants !== undefined) this.followNames();
    return this.bound.principal;
  }

  /** Binds the grants again if the catalog has changed: another table may have the name now. */
  private followNames(): void {
    const { tables } = this;
    const catalog = tables.identity();
    if (catalog === this.catalog) return;
    this.bound = boundAgain(this.bound, tables);
    this.catalog = catalog;
  }
}
