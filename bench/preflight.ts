/** `bun run bench/preflight.ts [ROWS]`: what comparing a schema with the rows of a table costs, in processor time and in pauses of the event loop. */

import { systemWorld } from '#base';
import { schemaHash } from '#catalog';
import { type Engine, openEngine } from '#engine';
import type { Program } from '#pir';
import { parseSchema, requireSchema } from '#schema';

const rows = Number(process.argv[2] ?? 1_000_000);
const piece = 5000;

function schemaOf(a: string, b: string) {
  const text = `tables:
  - id: 1
    name: samples
    columns:
      - { id: 1, name: id, type: int64, pk: true }
      - { id: 2, name: a, ${a} }
      - { id: 3, name: b, ${b} }
`;
  return requireSchema(parseSchema(text, 'bench')).catalog;
}

async function load(engine: Engine): Promise<void> {
  const desired = schemaOf('type: text', 'type: int64, nullable: true');
  const from = {
    currentVersion: 0,
    currentHash: schemaHash(engine.catalog),
    acceptDataLoss: false,
  };
  await engine.schema.migrate(desired, from);
  for (let at = 0; at < rows; at += piece) {
    const values = Array.from({ length: piece }, (_, i) => [
      `${at + i}`,
      `${at + i}`,
      `${i % 1000}`,
    ]);
    const columns = ['id', 'a', 'b'].map((name) => ({
      name,
      type: name === 'a' ? 'text' : 'int64',
    }));
    const node = { kind: 'rows', scope: 'r', columns, rows: values };
    const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
    const statements = [{ kind: 'create', name: 'c', table: 'samples', relation }];
    const program = { statements } as unknown as Program;
    await engine.execute({ program: () => program });
  }
}

async function measure(engine: Engine, name: string, a: string, b: string): Promise<void> {
  const desired = schemaOf(a, b);
  let last = performance.now();
  let pause = 0;
  const look = setInterval(() => {
    const now = performance.now();
    pause = Math.max(pause, now - last);
    last = now;
  }, 1);
  const before = process.cpuUsage();
  const { blocking, destructive } = await engine.schema.diff(desired);
  const { user, system } = process.cpuUsage(before);
  clearInterval(look);
  const found = [...blocking, ...destructive].map((finding) => `${finding.kind} ${finding.rows}`);
  const seconds = ((user + system) / 1e6).toFixed(2);
  console.log(
    `${name}: ${seconds} s of processor, longest pause ${pause.toFixed(0)} ms; ${found.join(', ') || 'nothing found'}`,
  );
}

const engine = await openEngine({
  storage: 'memory',
  path: '',
  mode: 'schema',
  world: systemWorld(),
  tuning: { cacheBytes: 256 << 20 },
  programMemoryBytes: 512 << 20,
  statementTimeoutMs: 0,
  concurrency: 8,
  queueMax: 64,
  holderAddress: 'bench',
});
await load(engine);
await measure(engine, 'no NULL', 'type: text', 'type: int64');
await measure(engine, 'conversion', 'type: int64', 'type: int64, nullable: true');
await measure(engine, 'unique', 'type: text, unique: true', 'type: int64, nullable: true');
await measure(
  engine,
  'unique, converted',
  'type: int64, unique: true',
  'type: int64, nullable: true',
);
await measure(engine, 'duplicates', 'type: text', 'type: int64, nullable: true, unique: true');
await engine.close();
