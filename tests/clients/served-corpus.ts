/** The corpus for clients of other languages: its cases, queries at random, and the database behind a server that they ask. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../support/seeded-random.ts';
import { isReading } from './is-reading.ts';
import { RandomTrees } from './random-trees.ts';
import { type Case, compiledTree, corpus, openStage } from './stage.ts';

/** `write`: the database is another one afterwards; `text`: nothing is asked. */
export interface ServedCase extends Partial<Case> {
  readonly kind: 'read' | 'write' | 'text';
}

export function keptCases(): readonly ServedCase[] {
  const folder = join(corpus, 'cases');
  return readdirSync(folder).flatMap((file) =>
    (JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case[]).map((one) => ({
      ...one,
      name: `${file} ${one.name}`,
      kind: isReading(one.build) ? ('read' as const) : ('write' as const),
    })),
  );
}

/** Queries at random, with what the TypeScript builder makes of them. */
export function randomCases(count: number, seed: number): readonly ServedCase[] {
  const trees = new RandomTrees(seededRandom(seed));
  return Array.from({ length: count }, (_, i) => {
    const build = trees.query();
    return { name: `random ${i}`, kind: 'text', build, text: compiledTree(build).body };
  });
}

/** The database of the corpus behind a server; `POST /reset` puts a new one in its place. */
export async function serveStage(): Promise<AsyncDisposable & { readonly url: string }> {
  let stage = await openStage();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      if (pathname === '/reset') {
        const old = stage;
        stage = await openStage();
        await old[Symbol.asyncDispose]();
        return new Response();
      }
      const headers = Object.fromEntries(request.headers);
      const body = await request.text();
      const reply = await stage.database.send(request.method, pathname + search, body, headers);
      const text = reply.text === '' ? null : reply.text;
      return new Response(text, { status: reply.status, headers: reply.headers });
    },
  });
  const stop = async () => {
    await server.stop(true);
    await stage[Symbol.asyncDispose]();
  };
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: stop };
}
