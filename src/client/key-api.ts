/** The part of the HTTP interface about API keys. */

import type { KeyList, NewKeyRecord } from '#access';
import type { Connection } from './connection.ts';

export interface NewKeyRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly grants?: readonly string[];
  readonly claims?: Readonly<Record<string, string>>;
  readonly policies?: string;
  readonly expires_in?: string;
  readonly limits?: Readonly<Record<string, number>>;
}

/** Requests about API keys, which need the scope `admin`. All methods throw ServerProblem or Unreachable. */
export class KeyApi {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  async list(): Promise<KeyList> {
    return (await this.connection.send('GET', '/auth/keys')) as KeyList;
  }

  /** After a lost response the key may exist, and its text is unknown: revoke it. */
  async create(request: NewKeyRequest): Promise<NewKeyRecord> {
    return (await this.connection.send('POST', '/auth/keys', request)) as NewKeyRecord;
  }

  /** Repeating it after a lost response is safe. */
  async revoke(id: string): Promise<void> {
    await this.connection.send('DELETE', `/auth/keys/${encodeURIComponent(id)}`);
  }

  /** After a lost response the new key may exist, and its text is unknown: revoke it. */
  async rotate(id: string, grace?: string): Promise<NewKeyRecord> {
    const body = grace === undefined ? {} : { grace };
    const path = `/auth/keys/${encodeURIComponent(id)}/rotate`;
    return (await this.connection.send('POST', path, body)) as NewKeyRecord;
  }
}
