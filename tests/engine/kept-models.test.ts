/** Models of executions, kept in the store: what a process that starts anew knows of earlier ones (docs/decisions/0025). */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, openEngine } from '#engine';
import type { Feedback } from '#statistics';
import { checkProgram } from '#wire';
import { type ManualWorld, manualWorld } from '../support/manual-world.ts';
import { createFilled } from './support/memory-engine.ts';

let home: string;
const engines = new Set<Engine>();
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-models-'));
});
afterEach(async () => {
  for (const engine of engines) await engine.close();
  engines.clear();
  rmSync(home, { recursive: true, force: true });
});

const columns = ['id', 'a', 'b', 'c'].map((name) => ({ name, type: 'int64' }));
/** The columns of a row are equal. Nothing says so: a tenth as many rows are expected of three conditions. */
const values = 30;
const rows = Array.from({ length: 30_000 }, (_, i) => {
  const value = `${i % values}`;
  return [`${i}`, value, value, value];
});

async function opened(name: string, world: ManualWorld = manualWorld()) {
  const engine = await openEngine({
    storage: 'file',
    path: join(home, name),
    mode: 'direct',
    world,
    tuning: { cacheBytes: 1 << 20 },
    programMemoryBytes: 64 << 20,
    statementTimeoutMs: 0,
    concurrency: 1,
    queueMax: 1,
    holderAddress: 'test',
  });
  engines.add(engine);
  const parts = engine as unknown as {
    database: { feedback: Feedback };
    archive: { loaded: Promise<void> };
  };
  await parts.archive.loaded;
  return { engine, world, feedback: parts.database.feedback };
}

async function closed({ engine }: { readonly engine: Engine }): Promise<void> {
  engines.delete(engine);
  await engine.close();
}

/** The plan of counting the rows whose columns all have the value. */
async function plan({ engine }: { readonly engine: Engine }, value: number): Promise<string> {
  const equals = (column: string) => ({
    kind: 'binary',
    op: 'eq',
    left: { kind: 'col', scope: 's', column },
    right: { kind: 'lit', value: { type: 'int64', value: `${value}` } },
  });
  const nodes = {
    s: { kind: 'scan', table: 't', scope: 's' },
    f: {
      kind: 'filter',
      input: 's',
      predicate: {
        kind: 'binary',
        op: 'and',
        left: { kind: 'binary', op: 'and', left: equals('a'), right: equals('b') },
        right: equals('c'),
      },
    },
    n: { kind: 'aggregate', input: 'f', scope: 'n', aggs: [{ fn: 'count', as: 'n' }] },
  };
  const relation = { nodes, root: { node: 'n', cardinality: 'scalar' } };
  const statements = [{ kind: 'query', name: 'q', relation }];
  const program = checkProgram({ statements, result: 'q' });
  const { plan: shown } = await engine.execute({
    program: () => program,
    showPlan: true,
    dryRun: false,
  });
  return JSON.stringify(shown);
}

const corrected = '~1000 rows, feedback';

/** A database whose plans were corrected. */
async function learned(name: string) {
  const database = await opened(name);
  const { engine, world, feedback } = database;
  await createFilled(engine, { name: 't', columns }, rows);
  await plan(database, 0);
  // The first plan has asked for a survey.
  for (let turn = 0; turn < 200; turn++) {
    world.advance(50);
    await new Promise(setImmediate);
  }
  for (let i = 0; i < 3; i++) {
    expect(await plan(database, i)).not.toContain(corrected);
    if (i < 1) feedback.publish();
  }
  feedback.publish();
  expect(await plan(database, 4)).toContain(corrected);
  return database;
}

async function modelsOf({ engine }: { readonly engine: Engine }) {
  const document = JSON.parse((await engine.statisticsText()).join('')) as {
    models: readonly { kind: string; family: string; retainedExecutions: number }[];
  };
  return new Map(document.models.map((model) => [`${model.kind} ${model.family}`, model]));
}

/** What is shown of a model but how often its family has come lately. */
const lasting = (models: Awaited<ReturnType<typeof modelsOf>>) =>
  [...models]
    .map(([name, model]) => [name, { ...model, frequency: undefined }] as const)
    .toSorted();

test('after an orderly end, plans are corrected from the first one on, and models are what they were', async () => {
  const first = await learned('t');
  const before = await modelsOf(first);
  await closed(first);
  const again = await opened('t');
  expect(lasting(await modelsOf(again))).toEqual(lasting(before));
  expect(await plan(again, 7)).toContain(corrected);
  // What was learned is not unlearned by going on.
  for (let i = 0; i < 3; i++) {
    again.feedback.publish();
    expect(await plan(again, i)).toContain(corrected);
  }
});

test('after a power loss too, once a minute has passed', async () => {
  const first = await learned('t');
  first.world.advance(60_000);
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
  cpSync(join(home, 't'), join(home, 'copy'), { recursive: true });
  const copy = await opened('copy');
  expect(await plan(copy, 7)).toContain(corrected);
});

test('of a table that is made anew under its name nothing is known', async () => {
  const first = await learned('t');
  await closed(first);
  const second = await opened('t');
  await second.engine.execute({
    program: () => checkProgram({ statements: [{ kind: 'delete_table', name: 'd', table_id: 1 }] }),
  });
  await createFilled(second.engine, { name: 't', columns }, rows.slice(0, 2_000));
  await closed(second);
  const third = await opened('t');
  expect([...(await modelsOf(third)).keys()].filter((name) => name.startsWith('relation'))).toEqual(
    [],
  );
  expect(await plan(third, 0)).not.toContain(corrected);
});
