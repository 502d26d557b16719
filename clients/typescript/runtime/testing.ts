/** For tests of applications: a database of their own in memory, and servers that are made up. Apart from the client, because it starts processes. */

import type { ClientOptions, Fetch } from './index.ts';

export interface TestDatabaseOptions<C> {
  /** Path of `svc.schema.yaml`. */
  readonly schemaFile: string;
  /** That of the generated module. */
  connect(options: ClientOptions): C;
  /** The executable; else that in the variable SVC_BIN, else `svc` in PATH. */
  readonly binary?: string;
  /** Of the client, beside its address. */
  readonly options?: Omit<ClientOptions, 'url'>;
}

export interface TestServer {
  readonly url: string;
  /** Deletes all rows of all tables, in one program. Counters of `increment()` go on. */
  reset(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts `svc serve` in memory on a free port, migrates it to the schema file, and connects. The server ends with `await using`, at the latest with
 * this process. Rejects when it does not start or does not take the schema, with what it says.
 */
export async function testDatabase<C extends { close(): void }>({
  schemaFile,
  connect,
  binary,
  options,
}: TestDatabaseOptions<C>): Promise<C & TestServer> {
  const { readFile } = await import('node:fs/promises');
  const schema = await readFile(schemaFile, 'utf8');
  const server = await serve(binary ?? process.env['SVC_BIN'] ?? 'svc');
  try {
    await migrate(server.url, schema);
    const client = connect({ ...options, url: server.url });
    return Object.assign(client, {
      url: server.url,
      reset: () => reset(server.url),
      [Symbol.asyncDispose]: async () => {
        client.close();
        await server.stop();
      },
    });
  } catch (error) {
    await server.stop();
    throw error;
  }
}

const flags = ['serve', '--addr', '127.0.0.1:0', '--storage', 'memory', '--catalog-mode', 'schema'];

interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

async function serve(binary: string): Promise<Running> {
  const { spawn } = await import('node:child_process');
  const child = spawn(binary, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let said = '';
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(`it ended with ${code}`));
  }).finally(() => process.removeListener('exit', kill));
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (text: unknown) => {
      said += text;
      const found = /\b127\.0\.0\.1:\d+(?=\D)/.exec(said);
      if (found !== null) resolve(`http://${found[0]}`);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', (text) => {
      said += text;
    });
    ended.then((why) => reject(new Error(`${binary} serve does not start: ${why}\n${said}`)));
  });
  // A program that forgets the server ends all the same.
  child.unref();
  for (const pipe of [child.stdout, child.stderr]) (pipe as { unref?(): void }).unref?.();
  return {
    url,
    stop: async () => {
      child.ref();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

interface Table {
  readonly name: string;
  readonly primary_key: readonly string[];
  readonly foreign_keys?: readonly { readonly ref_table: string }[];
}

async function call(url: string, body?: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const sent =
    body === undefined
      ? { method: 'GET' }
      : { method: 'POST', headers, body: JSON.stringify(body) };
  // A proxy of the environment is not for the own server; no runtime but Bun knows this option.
  const direct = { proxy: false } as const;
  const response = await fetch(url, { ...sent, ...direct });
  const text = await response.text();
  if (!response.ok) throw new Error(`${new URL(url).pathname}: ${text}`);
  return JSON.parse(text);
}

async function migrate(url: string, schema: string): Promise<void> {
  const info = (await call(`${url}/schema`)) as { schema_version: number; schema_hash: string };
  const { state } = (await call(`${url}/schema/migrate`, {
    schema,
    current_version: info.schema_version,
    current_hash: info.schema_hash,
  })) as { state: string };
  if (state !== 'ready') throw new Error(`the schema of an empty database is ${state}`);
}

async function reset(url: string): Promise<void> {
  const { schema } = (await call(`${url}/schema`)) as { schema: { tables: readonly Table[] } };
  const statements = deletions(schema.tables);
  if (statements.length > 0) await call(`${url}/execute`, { result: 'd0', statements });
}

/** Statements that delete all rows: tables before those that they reference. In a circle the server tells which key is in the way. */
function deletions(tables: readonly Table[]): object[] {
  const left = new Set(tables);
  const statements: object[] = [];
  while (left.size > 0) {
    const next = [...left].find(({ name }) => !isReferenced(name, left)) ?? [...left][0]!;
    left.delete(next);
    statements.push(deletion(next, `d${statements.length}`));
  }
  return statements;
}

function isReferenced(name: string, tables: ReadonlySet<Table>): boolean {
  return [...tables].some(
    (other) => other.name !== name && other.foreign_keys?.some((key) => key.ref_table === name),
  );
}

function deletion({ name: table, primary_key }: Table, name: string): object {
  const fields = primary_key.map((as) => ({ as, expr: { kind: 'col', scope: 's', column: as } }));
  const nodes = {
    s: { kind: 'scan', table, scope: 's' },
    p: { kind: 'project', input: 's', fields },
  };
  const relation = { root: { node: 'p', cardinality: 'many' }, nodes };
  return { kind: 'delete', name, table, relation };
}

/** What a made-up server is asked. */
export interface FakeRequest {
  readonly method: string;
  /** With parameters. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON of the body: a program, or the relation of a QUERY. */
  readonly body: unknown;
}

/**
 * A `fetch` that answers with what `handler` returns: the result, or a whole Response. What it throws with a `status`, a `code` and a `reason` becomes a
 * problem; anything else a broken connection. The client's question about the schema is answered with yes.
 */
export function fake(handler: (request: FakeRequest) => unknown): Fetch {
  return async (url, { method, headers, body }) => {
    const { pathname, search } = new URL(url);
    if (pathname.endsWith('/schema/compatibility')) return new Response(null, { status: 204 });
    const path = pathname + search;
    const asked = {
      method,
      path,
      headers,
      body: body === undefined ? undefined : JSON.parse(body),
    };
    try {
      const result = await handler(asked);
      if (result instanceof Response) return result;
      return answer(method === 'QUERY' ? result : { result, statements: [] }, 200);
    } catch (problem) {
      const { status, code, reason } = problem as { status: number; code: string; reason: string };
      if (!status || !code || !reason) throw problem;
      const members = { type: `urn:svc:problem:${code}`, title: code, ...(problem as object) };
      return answer(members, status);
    }
  };
}

/** JSON in which a bigint is an integer. */
function answer(value: unknown, status: number): Response {
  const text = JSON.stringify(value, (_key, part) =>
    typeof part === 'bigint' ? `\u0000${part}` : part,
  ).replace(/"\\u0000(-?\d+)"/g, '$1');
  return new Response(text, { status, headers: { 'content-type': 'application/json' } });
}
