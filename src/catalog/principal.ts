/** The client to which a request belongs, as identified by the HTTP layer. */

export interface Principal {
  /** `open`: a client without authentication, which has all permissions. Currently every client is open. */
  readonly kind: 'open' | 'key' | 'token';
  /** Identity in fair queues and in the log. For an open client it is the address. */
  readonly id: string;
  /** Visibility class. All principals of one class see the same tables and rows, and share prepared programs and results. */
  readonly visibility: string;
}

/** A client that is identified only by its address. The address is determined only when `id` is read, since it is rarely needed. */
export class OpenPrincipal implements Principal {
  readonly kind = 'open';
  readonly visibility = '';
  private readonly address: () => string;

  constructor(address: () => string) {
    this.address = address;
  }

  get id(): string {
    return this.address();
  }
}

/** The open client of requests without an address. */
export const anyone: Principal = { kind: 'open', id: '', visibility: '' };
