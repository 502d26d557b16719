/** The module that the examples of the page import: what will be generated, by hand, over a database in memory. */

import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import {
  type Client,
  type ClientOptions,
  type Compiled,
  createClient,
  type Fetch,
  type Runnable,
} from './runtime.ts';
import {
  compiled,
  knownTables,
  type Note,
  notesSchema,
  pageOfNotes,
  programOf,
  read,
} from './support.ts';

let database: TestDatabase | undefined;

/** A database without rows, for the next example. */
export async function begin(): Promise<void> {
  await end();
  database = await openTestDatabase('direct', notesSchema);
}

export async function end(): Promise<void> {
  await database?.[Symbol.asyncDispose]();
  database = undefined;
}

const inMemory: Fetch = async (url, { method, headers, body }) => {
  if (database === undefined) throw new Error('no example runs');
  const { pathname, search } = new URL(url);
  const {
    status,
    text,
    headers: told,
  } = await database.send(method, pathname + search, body, headers);
  return new Response(text === '' ? null : text, { status, headers: told });
};

/** Servers of the page lie in memory, but for those of `testDatabase`. */
export function connect(options: ClientOptions): Client {
  const isPage = /:7237$|example$/.test(options.url);
  return createClient(
    {
      version: 1,
      hash: 'by hand',
      tables: knownTables,
      compile: (runnable) => runnable as Compiled,
      page: pageOfNotes,
    },
    { ...(isPage ? { fetch: inMemory } : {}), ...options },
  );
}

const insertMany = (rows: readonly Note[]): Runnable<Note[]> => {
  const relation = {
    root: { node: 'r', cardinality: 'many' },
    nodes: {
      r: {
        kind: 'rows',
        scope: 'r',
        columns: [
          { name: 'id', type: 'int64' },
          { name: 'text', type: 'text' },
        ],
        rows: rows.map(({ id, text }) => [`${id}`, text]),
      },
    },
  };
  const body = programOf({ kind: 'create', name: 'r', table: 'notes', relation });
  return compiled<Note[]>({ name: 'addNotes', kind: 'program', readOnly: false, body });
};

/** The tables of the schema. */
export const t = {
  notes: Object.assign(read(), {
    insert: (note: Note): Runnable<Note[]> => insertMany([note]),
    insertMany,
  }),
};
