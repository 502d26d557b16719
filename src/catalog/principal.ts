/** The client that a request belongs to, as the edge knows it. */

export interface Principal {
  /** `open`: a client that nobody has authenticated, and that may do everything. Today every client is one. */
  readonly kind: 'open' | 'key' | 'token';
  /** Its identity in fair queues and in the log: the address of an open client. */
  readonly id: string;
  /** Principals of one class see the same tables and rows: they share prepared programs and answers. */
  readonly visibility: string;
}

/** A client that is known by its address alone, which is asked for only where the identity matters. */
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
