/** A server process with the schema of the specimen, for clients of other languages. */

import { program } from '../support/program.ts';
import { schema } from './specimen/schema.ts';

export interface Server extends AsyncDisposable {
  readonly url: string;
}

/** A server in memory with the schema of the specimen. */
export async function serve(): Promise<Server> {
  const child = Bun.spawn([...program, 'serve', '--storage', 'memory', '--addr', '127.0.0.1:0'], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  let text = '';
  for await (const part of child.stdout as ReadableStream<Uint8Array>) {
    text += new TextDecoder().decode(part);
    const [found] = /\b127\.0\.0\.1:\d+(?=\D)/.exec(text) ?? [];
    if (found === undefined) continue;
    const url = `http://${found}`;
    await migrate(url);
    const stop = async () => {
      child.kill();
      await child.exited;
    };
    return { url, [Symbol.asyncDispose]: stop };
  }
  throw new Error(`the server does not start: ${text}`);
}

async function migrate(url: string): Promise<void> {
  const info = (await (await fetch(`${url}/schema`)).json()) as Readonly<Record<string, unknown>>;
  const { schema_version: current_version, schema_hash: current_hash } = info;
  const body = JSON.stringify({ schema: JSON.stringify(schema), current_version, current_hash });
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${url}/schema/migrate`, { method: 'POST', headers, body });
  const text = await reply.text();
  if (JSON.parse(text).state !== 'ready') throw new Error(`the schema is not ready: ${text}`);
}
