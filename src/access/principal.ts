/** The client to which a request belongs, as identified by the HTTP layer. */

import type { Claims, PrincipalLimits } from './claims.ts';
import { everyScope, type Scopes } from './scope.ts';
import { unrestricted, type Visibility } from './visibility.ts';

export interface Principal {
  /** `open`: a client without authentication, which has all permissions. `key`: an API key. `token`: a JWT. */
  readonly kind: 'open' | 'key' | 'token';
  /** Identity in fair queues and in the log: an address, the id of a key, or `issuer sub` of a token. */
  readonly id: string;
  /** The issuer of a token, with which its `id` begins. */
  readonly issuer?: string;
  /** The time that a token contains. */
  readonly expiresAtMs?: number;
  /** Returns whether a token is still valid; absent for other principals. `nowMs` is in Unix milliseconds. */
  readonly isValidAt?: (nowMs: number) => boolean;
  readonly scopes: Scopes;
  readonly visibility: Visibility;
  readonly claims: Claims;
  readonly limits: PrincipalLimits;
}

const none: Readonly<Record<string, never>> = {};

/**
 * A client that is identified only by its address. The address is determined only when `id` is read, since it is rarely needed. Each request without
 * authentication has such an object, so the other members belong to the class.
 */
export class OpenPrincipal implements Principal {
  private readonly address: () => string;

  constructor(address: () => string) {
    this.address = address;
  }

  get kind(): 'open' {
    return 'open';
  }

  get id(): string {
    return this.address();
  }

  get scopes(): Scopes {
    return everyScope;
  }

  get visibility(): Visibility {
    return unrestricted;
  }

  get claims(): Claims {
    return none;
  }

  get limits(): PrincipalLimits {
    return none;
  }
}

/** The open client of requests without an address. */
export const anyone: Principal = new OpenPrincipal(() => '');

/** Returns the public identity of a principal: the id of a key, or issuer and subject of a token. */
export function identityOf({ id, issuer }: Principal): {
  readonly id: string;
  readonly issuer?: string;
} {
  return issuer === undefined ? { id } : { id: id.slice(issuer.length + 1), issuer };
}
