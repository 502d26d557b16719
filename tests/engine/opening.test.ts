/** How a database is opened: made, found again, refused for another one, and read while another engine writes it. */

import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { type Engine, type EngineOptions, openEngine } from '#engine';
import { DatabaseError } from '#failure';
import { StorageError } from '#storage';
import { checkProgram } from '#wire';

const folders: string[] = [];
const engines: Engine[] = [];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-opening-'));
  folders.push(path);
  return path;
}

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

async function open(path: string, options: Partial<EngineOptions> = {}): Promise<Engine> {
  const engine = await openEngine({
    storage: 'file',
    path,
    mode: undefined,
    world: systemWorld(),
    tuning: { cacheBytes: 1 << 20 },
    programMemoryBytes: 8 << 20,
    statementTimeoutMs: 0,
    concurrency: 4,
    queueMax: 4,
    holderAddress: 'test',
    ...options,
  });
  engines.push(engine);
  return engine;
}

async function close(engine: Engine): Promise<void> {
  engines.splice(engines.indexOf(engine), 1);
  await engine.close();
}

const errorOf = (pending: Promise<unknown>) =>
  pending.then(
    () => undefined,
    (error: unknown) => error,
  );

const troubleOf = async (pending: Promise<unknown>) => {
  const error = await errorOf(pending);
  expect(error).toBeInstanceOf(StorageError);
  return (error as StorageError).fault;
};

const failureOf = async (pending: Promise<unknown>) => {
  const error = await errorOf(pending);
  expect(error).toBeInstanceOf(DatabaseError);
  return (error as DatabaseError).failure;
};

const table = (name: string) => ({
  ...{ name, primary_key: ['id'], columns: [{ name: 'id', type: 'int64' }] },
});

const makes = (name: string) => ({ kind: 'create_table', name: 's', table: table(name) });

const run = (engine: Engine, statement: object, dryRun = false) =>
  engine.execute({ program: () => checkProgram({ statements: [statement] }), dryRun });

const tablesOf = ({ catalog }: Engine) => catalog.tables.map(({ name }) => name);

describe('a database', () => {
  test('is made where nothing is, and found again as what it is', async () => {
    const path = folder();
    const made = await open(path);
    expect([made.isNew, made.access, made.mode]).toEqual([true, 'write', 'direct']);
    expect(made.identity).toMatch(/^[0-9a-f]{32}$/);
    expect(await made.info()).toMatchObject({
      ...{ database_id: made.identity, mode: 'direct', schema_version: 0, location: path },
    });
    expect(await made.info()).not.toHaveProperty('schema_version_at');
    await run(made, makes('t'));
    const info = await made.info();
    const sequence = made.newestSequence;
    await close(made);
    const found = await open(path);
    expect([found.isNew, found.mode, tablesOf(found)]).toEqual([false, 'direct', ['t']]);
    expect(await found.info()).toEqual(info);
    expect(found.newestSequence).toBeGreaterThanOrEqual(sequence);
  });

  test('is another one in each place, and one in memory has no path', async () => {
    const identities = await Promise.all([open(folder()), open(folder())]);
    expect(new Set(identities.map(({ identity }) => identity)).size).toBe(2);
    const held = await open('', { storage: 'memory' });
    expect((await held.info()).location).toBe('memory');
  });

  test('keeps the mode that it was made with', async () => {
    const path = folder();
    await close(await open(path, { mode: 'schema' }));
    const refused = await failureOf(open(path, { mode: 'direct' }));
    expect(refused.reason).toBe('invalid');
    expect(refused.detail).toContain('created with --catalog-mode schema');
    expect(refused.detail).toContain('cannot be changed to direct');
    // The refusal has left the directory to others.
    const found = await open(path, { mode: 'schema' });
    expect(found.mode).toBe('schema');
    await close(found);
    expect((await open(path)).mode).toBe('schema');
  });
});

describe('a storage that failed and is opened again', () => {
  test('has the database that was there, with all that was acknowledged', async () => {
    const path = folder();
    const engine = await open(path);
    await run(engine, makes('t'));
    const { former } = engine;
    expect(former).toEqual({ identity: engine.identity, sequence: engine.newestSequence });
    await close(engine);
    const found = await open(path, { former });
    expect(found.identity).toBe(former.identity);
    await close(found);
    const later = { ...former, sequence: former.sequence - 1 };
    await close(await open(path, { former: later }));
  });

  test('is refused with less in it, with another database, and with none', async () => {
    const path = folder();
    const engine = await open(path);
    await run(engine, makes('t'));
    const { former } = engine;
    const { identity } = engine;
    await close(engine);
    const sequence = former.sequence + 1_000;
    const older = await troubleOf(open(path, { former: { identity, sequence } }));
    expect(older).toEqual({
      kind: 'replaced',
      held: `${identity}, sequence ${sequence}`,
      found: expect.stringMatching(new RegExp(`^${identity}, sequence \\d+$`)),
    });
    const other = await troubleOf(open(path, { former: { ...former, identity: 'other' } }));
    expect(other).toMatchObject({ kind: 'replaced', held: `other, sequence ${former.sequence}` });
    expect(await troubleOf(open(folder(), { former }))).not.toBeUndefined();
    // Each refusal has closed the store.
    await open(path, { former });
  });
});

describe('a reader', () => {
  const never = new AbortController().signal;
  const reading = (more: Partial<NonNullable<EngineOptions['reading']>> = {}) => ({
    reading: { pollMs: 1, signal: never, waiting: () => {}, ...more },
  });

  /** Resolves when the reader has the table. */
  async function follows(reader: Engine, name: string): Promise<void> {
    const { catalogListeners } = reader['database'];
    while (!tablesOf(reader).includes(name)) {
      await new Promise<void>((resolve) => {
        const moved = () => {
          catalogListeners.delete(moved);
          resolve();
        };
        catalogListeners.add(moved);
      });
    }
  }

  test('opens what a writer has made, and moves with it', async () => {
    const path = folder();
    const writer = await open(path);
    await run(writer, makes('first'));
    const reader = await open(path, reading());
    expect([reader.access, reader.isNew, reader.identity]).toEqual([
      'read',
      false,
      writer.identity,
    ]);
    await follows(reader, 'first');
    await run(writer, makes('second'));
    await follows(reader, 'second');
    expect(reader.catalog).toEqual(writer.catalog);
    expect(reader['database'].catalogSequence).toBe(writer['database'].catalogSequence);
    expect(await reader.info()).toEqual(await writer.info());
  });

  test('waits for a writer to make the database, and is told why', async () => {
    const path = folder();
    const reasons: unknown[] = [];
    const waits = Promise.withResolvers<void>();
    const pending = open(
      path,
      reading({
        waiting: (error) => {
          reasons.push((error as StorageError).fault.kind);
          waits.resolve();
        },
      }),
    );
    await waits.promise;
    const writer = await open(path);
    const reader = await pending;
    expect(reader.identity).toBe(writer.identity);
    expect(reasons[0]).toBe('empty');
  });

  test('ends its wait when it is told to, before or meanwhile', async () => {
    const stop = new AbortController();
    const waits = () => stop.abort();
    const failure = await failureOf(
      open(folder(), reading({ signal: stop.signal, waiting: waits })),
    );
    expect(failure.reason).toBe('storage_unavailable');
    expect(failure.detail).toContain('stopped before the store was open');
    const late = await failureOf(open(folder(), reading({ signal: stop.signal })));
    expect(late.reason).toBe('storage_unavailable');
  });

  test('does not wait for what does not pass', async () => {
    const path = folder();
    await open(path, { mode: 'direct' });
    const waits: unknown[] = [];
    const refused = open(path, { mode: 'schema', ...reading({ waiting: (it) => waits.push(it) }) });
    expect((await failureOf(refused)).reason).toBe('invalid');
    expect(waits).toEqual([]);
  });

  test('refuses what writes, and plans it', async () => {
    const path = folder();
    await run(await open(path), makes('t'));
    const reader = await open(path, reading());
    await follows(reader, 't');
    const query = {
      kind: 'query',
      name: 'q',
      relation: {
        nodes: { r: { kind: 'rows', scope: 'r', columns: table('r').columns, rows: [['1']] } },
        root: { node: 'r', cardinality: 'exactly_one' },
      },
    };
    const statements = [query, { ...makes('u'), name: 'make"it' }];
    const program = checkProgram({ statements, result: 'q' });
    const refused = await failureOf(reader.execute({ program: () => program }));
    expect(refused).toMatchObject({
      reason: 'read_only',
      location: { pointer: '/statements/1/kind', binding: 'make"it' },
    });
    expect(refused.detail).toContain('statement "make\\"it": create_table writes');
    expect((await reader.execute({ program: () => program, dryRun: true })).statements).toEqual([]);
    expect((await run(reader, query)).statements).toMatchObject([{ name: 'q', affected: 1 }]);
  });
});
