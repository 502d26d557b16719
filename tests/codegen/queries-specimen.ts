/** The module that the examples of the page of queries import: the small forum, over a database in memory. */

import type { Client, ClientOptions } from '../../clients/typescript/runtime/index.ts';
import { type Forum, openForum } from './builder-support.ts';

export type { Accounts, Comments, Counters, Posts, Users } from './specimen/db.ts';
export { t } from './specimen/db.ts';

let forum: Forum | undefined;

/** A database without rows, for the next example. */
export async function begin(): Promise<void> {
  await end();
  forum = await openForum();
}

export async function end(): Promise<void> {
  await forum?.[Symbol.asyncDispose]();
  forum = undefined;
}

export function connect({ url: _ }: ClientOptions): Client {
  if (forum === undefined) throw new Error('no example runs');
  return forum.db;
}
