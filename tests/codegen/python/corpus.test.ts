/** The corpus of the clients, built by the Python runtime: byte for byte the texts of the TypeScript builder, and what a server answers to them. */

import { expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isReading } from '../../clients/is-reading.ts';
import { tableInfos } from '../../clients/make-tables.ts';
import { RandomTrees } from '../../clients/random-trees.ts';
import { type Case, compiledTree, corpus, openStage, schema } from '../../clients/stage.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { python, pythonFolder } from './support.ts';

function keptCases(): readonly (Case & { readonly kind: string })[] {
  const folder = join(corpus, 'cases');
  return readdirSync(folder).flatMap((file) =>
    (JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case[]).map((one) => ({
      ...one,
      name: `${file} ${one.name}`,
      kind: isReading(one.build) ? 'read' : 'write',
    })),
  );
}

/** Queries at random, with what the TypeScript builder makes of them. */
function randomCases(count: number): readonly object[] {
  const trees = new RandomTrees(seededRandom(12));
  return Array.from({ length: count }, (_, i) => {
    const build = trees.query();
    return { name: `random ${i}`, kind: 'text', build, text: compiledTree(build).body };
  });
}

/** The database of the corpus behind a server; `POST /reset` puts a new one in its place. */
async function serveStage() {
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

test.skipIf(python === undefined)(
  'all texts are the same, and so are the results',
  async () => {
    const kept = keptCases();
    const cases = [...kept, ...randomCases(2_000)];
    using folder = pythonFolder('corpus');
    await using served = await serveStage();
    const input = join(folder.path, 'corpus.json');
    writeFileSync(input, JSON.stringify({ tables: tableInfos(schema), cases }));
    const { status, all } = await folder.run(['run.py', input, served.url]);
    if (status !== 0) throw new Error(all);
    expect(all).toContain(`${cases.length} cases, ${kept.length} asked, 0 wrong`);
  },
  120_000,
);
