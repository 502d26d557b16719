/** A database in memory with the small forum, and a client of it that notes what it sends. */

import type { Client, ClientOptions } from '../../clients/typescript/runtime/index.ts';
import { openTestDatabase } from '../support/database.ts';
import { connect } from './specimen/db.ts';
import { schema } from './specimen/schema.ts';

export interface Forum extends AsyncDisposable {
  readonly db: Client;
  /** Bodies of requests, in order. */
  readonly sent: string[];
  /** Another client of the same database. */
  client(options?: Partial<ClientOptions>): Client;
}

export async function openForum(): Promise<Forum> {
  const database = await openTestDatabase('direct', schema);
  const sent: string[] = [];
  const client = (options: Partial<ClientOptions> = {}) =>
    connect({
      url: 'http://127.0.0.1:1',
      schema: 'off',
      fetch: async (url, { method, headers, body }) => {
        const { pathname, search } = new URL(url);
        sent.push(body as string);
        const reply = await database.send(method, pathname + search, body, { ...headers });
        const text = reply.text === '' ? null : reply.text;
        return new Response(text, { status: reply.status, headers: reply.headers });
      },
      ...options,
    });
  return {
    db: client(),
    sent,
    client,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
