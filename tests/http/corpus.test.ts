/** Programs by HTTP that are kept for replay (docs/corpus.md), and stay in the store. */

import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import type { Engine } from '#engine';
import { queryType } from '#wire';
import { openMemoryEngine, openTestHandler, type Send, testLimits } from './support.ts';

const json = { 'content-type': 'application/json' };
const limits = { ...testLimits, bodyBytesMax: 1 << 20, arrivingBytesMax: 1 << 24, depthMax: 64 };
const kept: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of kept.splice(0).reverse()) await end();
});

type Corpus = Readonly<Record<string, unknown>> & {
  readonly maintenance?: Readonly<Record<string, number>>;
};

const corpusOf = async (send: Send) =>
  (await send('GET', '/statistics')).json['corpus'] as unknown as Corpus;

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-corpus-'));
  kept.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function opened(path: string | undefined, capturesCorpus: boolean) {
  const place = path === undefined ? {} : { storage: 'file' as const, path };
  const engine: Engine = await openMemoryEngine('direct', systemWorld(), {
    ...place,
    capturesCorpus,
  });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await engine.close();
    isOpen = false;
  };
  kept.push(close);
  return { ...openTestHandler({ engine }, { limits }), close };
}

const relation = (value: number) => ({
  nodes: {
    r: {
      kind: 'rows',
      scope: 'r',
      columns: [{ name: 'a', type: 'int64', nullable: false }],
      rows: [[`${value}`]],
    },
    o: {
      kind: 'order',
      input: 'r',
      terms: [{ expr: { kind: 'col', scope: 'r', column: 'a' } }],
    },
  },
  root: { node: 'o', cardinality: 'many' },
});
const program = (value: number, kind = 'query') =>
  JSON.stringify({ statements: [{ kind, name: 'q', relation: relation(value) }] });

test('programs and queries that have run are kept, others are not', async () => {
  const { send } = await opened(undefined, true);
  const post = (body: string, path = '/execute') => send('POST', path, { body, headers: json });
  for (let i = 0; i < 3; i++) expect((await post(program(1))).status).toBe(200);
  expect((await post(program(2), '/execute?show-plan=true')).status).toBe(200);
  const query = { body: JSON.stringify(relation(3)), headers: { 'content-type': queryType } };
  expect((await send('QUERY', '/execute', query)).status).toBe(200);
  expect((await post(program(4), '/execute?dry-run=true')).status).toBe(200);
  expect((await post(program(5, 'update'))).status).toBe(400);
  const large = JSON.stringify({ statements: JSON.parse(program(1)).statements }).padEnd(20_000);
  expect((await post(large)).status).toBe(200);
  expect(await corpusOf(send)).toMatchObject({
    enabled: true,
    captured: 5,
    skippedOversize: 1,
    droppedQueue: 0,
    shedPending: 0,
    maintenance: { retainedPrograms: 0 },
  });
});

test('what was kept is there after a restart, also of a server that keeps none', async () => {
  const path = directory();
  const run = async (capturesCorpus: boolean, value: number) => {
    const { send, close } = await opened(path, capturesCorpus);
    const found = await corpusOf(send);
    const sent = await send('POST', '/execute', { body: program(value), headers: json });
    expect(sent.status).toBe(200);
    await close();
    return found;
  };
  expect((await run(true, 1)).maintenance).toMatchObject({ retainedPrograms: 0 });
  expect(await run(false, 2)).toEqual({
    enabled: false,
    captured: 0,
    skippedOversize: 0,
    droppedQueue: 0,
    shedPending: 0,
  });
  const { captured, maintenance } = await run(true, 1);
  expect(captured).toBe(0);
  expect(maintenance).toMatchObject({ retainedPrograms: 1, retainedExecutions: 1 });
  expect(maintenance?.['retainedProgramBytes']).toBeGreaterThan(100);
  expect((await run(true, 1)).maintenance).toMatchObject({
    retainedPrograms: 1,
    retainedExecutions: 2,
  });
});
