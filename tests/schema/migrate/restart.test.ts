/** A server that stops between a migration's commit and its answer, or in the middle of its work. */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anyone } from '#access';
import { systemWorld } from '#base';
import { type Catalog, schemaHash } from '#catalog';
import { type Engine, openEngine } from '#engine';
import type { Program } from '#pir';
import { parseSchema, requireSchema } from '#schema';
import { schema, table } from './support.ts';

function open(path: string): Promise<Engine> {
  return openEngine({
    storage: 'file',
    path,
    mode: 'schema',
    world: systemWorld(),
    tuning: { cacheBytes: 16 << 20 },
    programMemoryBytes: 256 << 20,
    statementTimeoutMs: 0,
    concurrency: 8,
    queueMax: 64,
    holderAddress: 'test',
  });
}

const id = 'id: 1, name: id, type: int64, pk: true';
const read = (text: string) => requireSchema(parseSchema(text, 'f')).catalog;
const before = read(schema(table(1, 'users', [id, 'id: 2, name: a, type: text, nullable: true'])));
const after = read(
  schema(table(1, 'users', [id, 'id: 2, name: a, type: int64, nullable: true, unique: true'])),
);

function request(catalog: Catalog) {
  return {
    currentVersion: catalog.version,
    currentHash: schemaHash(catalog),
    acceptDataLoss: false,
  };
}

async function insert(engine: Engine, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, i) => [String(i), String(i)]);
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 'a', type: 'text', nullable: true },
  ];
  const nodes = { r: { kind: 'rows', scope: 'r', columns, rows } };
  const relation = { nodes, root: { node: 'r', cardinality: 'many' } };
  const statements = [{ kind: 'create', name: 'c', table: 'users', relation }];
  const program = { statements } as unknown as Program;
  await engine.execute({ program: () => program });
}

test('the work goes on, and the repeated request finds it', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-schema-'));
  try {
    const first = await open(path);
    await first.schema.migrate(before, request(first.catalog));
    await insert(first, 2000);
    const asked = request(first.catalog);
    await first.transitions.stop();
    const { transitionIds } = await first.schema.migrate(after, asked);
    expect(transitionIds).toHaveLength(2);
    await first.close();

    const second = await open(path);
    const again = await second.schema.migrate(after, asked);
    for (const found of again.transitionIds) expect(transitionIds).toContain(found);
    for (const transition of transitionIds) {
      for (let generation = 0; ; ) {
        const control = await second.transitions.getAfter(transition, generation, 10_000, anyone);
        if (control.state === 'ready') break;
        generation = control.generation;
      }
    }
    expect(schemaHash(second.catalog)).toBe(schemaHash(after));
    expect(second.catalog.version).toBe(asked.currentVersion + 2);
    const last = await second.schema.migrate(after, asked);
    expect(last).toMatchObject({ transitionIds: [], changes: [] });
    await second.close();

    const third = await open(path);
    expect(schemaHash(third.catalog)).toBe(schemaHash(after));
    expect((await third.schema.diff(after)).changes).toEqual([]);
    await third.close();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});
