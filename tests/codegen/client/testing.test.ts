/** The fixture for tests of applications, over a process, and the client on a real connection. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomeOf } from '../../support/outcome.ts';
import { program } from '../../support/program.ts';
import {
  type Client,
  type ClientOptions,
  type Compiled,
  ConflictError,
  ConstraintError,
  createClient,
  fake,
  OutcomeUnknownError,
  SchemaMismatchError,
  TransportError,
  testDatabase,
} from './runtime.ts';
import { knownTables, pageOfNotes, read, write } from './support.ts';

const schemaYaml = `tables:
  - id: 1
    name: people
    columns:
      - { id: 1, name: id, type: int64, pk: true }
  - id: 2
    name: notes
    columns:
      - { id: 1, name: id, type: int64, pk: true }
      - { id: 2, name: text, type: text }
      - { id: 3, name: parent, type: int64, nullable: true, ref: notes.id }
      - { id: 4, name: author, type: int64, nullable: true, ref: people.id }
  - id: 3
    name: likes
    columns:
      - { id: 1, name: note, type: int64, pk: true, ref: notes.id }
`;

const connect = (options: ClientOptions): Client =>
  createClient(
    {
      version: 7,
      hash: 'another',
      tables: knownTables,
      compile: (runnable) => runnable as Compiled,
      page: pageOfNotes,
    },
    options,
  );

let folder = '';
let binary = '';
let schemaFile = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-testing-'));
  binary = join(folder, 'svc');
  const command = program.map((part) => `"${part}"`).join(' ');
  writeFileSync(binary, `#!/bin/sh\nexec ${command} "$@"\n`);
  chmodSync(binary, 0o755);
  schemaFile = join(folder, 'svc.schema.yaml');
  writeFileSync(schemaFile, schemaYaml);
});

afterAll(() => rmSync(folder, { recursive: true }));

const rows = (
  table: string,
  columns: readonly string[],
  cells: readonly (readonly unknown[])[],
) => ({
  kind: 'create',
  name: `c_${table}`,
  table,
  relation: {
    root: { node: 'r', cardinality: 'many' },
    nodes: {
      r: {
        kind: 'rows',
        scope: 'r',
        columns: columns.map((name) => ({
          name,
          type: name === 'text' ? 'text' : 'int64',
          nullable: name === 'parent' || name === 'author',
        })),
        rows: cells,
      },
    },
  },
});

const counted = (table: string, as: string) => ({
  kind: 'query',
  name: 'r',
  relation: {
    root: { node: 'a', cardinality: 'scalar' },
    nodes: {
      s: { kind: 'scan', table, scope: 's' },
      a: { kind: 'aggregate', input: 's', scope: 'a', aggs: [{ fn: 'count', as }] },
    },
  },
});

const count = async (db: Client, table: string) =>
  (await db.raw({ statements: [counted(table, 'n')] })).result;

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error('it succeeded');
    },
    (error) => error,
  );
}

describe('a database for a test', () => {
  test('is migrated, empties itself, answers a real client, and is gone afterwards', async () => {
    let url = '';
    let client: Client | undefined;
    {
      await using db = await testDatabase({ schemaFile, connect, binary });
      url = db.url;
      client = db;
      expect(await db.run(write(1, '𝕊 "\\\n'))).toMatchObject([{ id: 1, text: '𝕊 "\\\n' }]);
      // A conditional read over a real connection, with its method and its tag.
      const first = await db.cached(read());
      expect(await db.cached(read())).toBe(first);
      expect((await db.page(read(), { size: 5 })).rows).toMatchObject([{ id: 1 }]);
      expect(await failureOf(db.run(write(1)))).toBeInstanceOf(ConstraintError);

      // Rows that reference other tables, and each other in a circle.
      await db.raw({
        result: 'c_likes',
        statements: [
          rows('people', ['id'], [['1']]),
          rows(
            'notes',
            ['id', 'text', 'parent', 'author'],
            [
              ['2', 'b', '3', '1'],
              ['3', 'c', '2', null],
            ],
          ),
          rows('likes', ['note'], [['1'], ['2']]),
        ],
      });
      expect(await count(db, 'notes')).toBe(3);
      await db.reset();
      for (const table of ['notes', 'people', 'likes']) expect(await count(db, table)).toBe(0);
      await db.reset();
    }
    expect(await failureOf(fetch(url))).toBeInstanceOf(Error);
    expect(await failureOf((client as Client).run(read()))).toMatchObject({ phase: 'aborted' });
  });

  test('ends with the process, if nobody else ends it', async () => {
    const script = join(folder, 'forgetful.ts');
    const runtime = JSON.stringify(join(import.meta.dir, 'runtime.ts'));
    const given = JSON.stringify({ schemaFile, binary });
    writeFileSync(
      script,
      `import { testDatabase } from ${runtime};
const connect = () => ({ close() {} });
const { url } = await testDatabase({ ...${given}, connect });
console.log(url);
process.exit(0);
`,
    );
    const child = Bun.spawn([process.execPath, script], { stdout: 'pipe' });
    const url = (await new Response(child.stdout).text()).trim();
    await child.exited;
    expect(url).toMatch(/^http:/);
    // The shell of the executable is replaced by the server, so that one signal ends it; the kernel needs a moment to close its socket.
    const isGone = () =>
      fetch(url).then(
        () => false,
        () => true,
      );
    while (!(await isGone())) await new Promise((resolve) => setImmediate(resolve));
  });

  test('has a client that checks its schema against it', async () => {
    const others = [{ ...knownTables[0], name: 'elsewhere' } as (typeof knownTables)[number]];
    const generated = { version: 1, hash: 'x', tables: others, page: pageOfNotes };
    const another = (options: ClientOptions) =>
      createClient({ ...generated, compile: (runnable) => runnable as Compiled }, options);
    await using db = await testDatabase({ schemaFile, connect: another, binary });
    expect(await failureOf(db.run(read()))).toBeInstanceOf(SchemaMismatchError);
  });

  test('says why it does not start', async () => {
    const failing = join(folder, 'failing');
    writeFileSync(failing, '#!/bin/sh\necho nothing works >&2\nexit 3\n');
    chmodSync(failing, 0o755);
    const failed = testDatabase({ schemaFile, connect, binary: failing });
    expect(await outcomeOf(failed)).toThrow(/does not start: it ended with 3\nnothing works/);
    const absent = testDatabase({ schemaFile, connect, binary: join(folder, 'absent') });
    expect(await outcomeOf(absent)).toThrow(/does not start: .*ENOENT/);
  });

  test('says what is wrong with the schema', async () => {
    const wrong = join(folder, 'wrong.yaml');
    writeFileSync(wrong, 'tables: [{ id: 1, name: a, columns: [] }]\n');
    const failed = testDatabase({ schemaFile: wrong, connect, binary });
    expect(await outcomeOf(failed)).toThrow(/^\/schema\/migrate: .*"reason"/);
  });
});

describe('a real connection', () => {
  test('that nobody takes is certainly unsent', async () => {
    const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
    const { port } = listener;
    listener.stop(true);
    const db = connect({ url: `svc://127.0.0.1:${port}`, schema: 'off', retry: { attempts: 1 } });
    const error = await failureOf(db.run(write(1)));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ phase: 'connect', sent: false });
  });

  test('that breaks may have been used', async () => {
    const listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.terminate() },
    });
    const db = connect({ url: `svc://127.0.0.1:${listener.port}`, schema: 'off' });
    expect(await failureOf(db.run(write(1)))).toBeInstanceOf(OutcomeUnknownError);
    listener.stop(true);
  });
});

describe('a made-up server', () => {
  test('answers with what the handler returns', async () => {
    const asked: string[] = [];
    const db = connect({
      url: 'svc://fake',
      fetch: fake(({ method, path, body }) => {
        asked.push(`${method} ${path} ${Object.keys(body as object).join()}`);
        return [{ id: 2n ** 60n, text: 'a' }];
      }),
    });
    expect(await db.run<unknown>(read())).toEqual([{ id: '1152921504606846976', text: 'a' }]);
    await db.cached(read());
    await db.check(read());
    expect(asked).toEqual([
      'POST /execute result,statements',
      'QUERY /execute root,nodes',
      'POST /execute?dry-run=true result,statements',
    ]);
  });

  test('fails with what the handler throws', async () => {
    let thrown: unknown = { status: 409, code: 'conflict', reason: 'serializable_conflict' };
    const fetch = fake(() => {
      throw thrown;
    });
    const db = connect({ url: 'svc://fake', fetch, retry: { attempts: 1 } });
    expect(await failureOf(db.run(write(1)))).toBeInstanceOf(ConflictError);
    thrown = new Error('broken off');
    expect(await failureOf(db.run(write(1)))).toBeInstanceOf(OutcomeUnknownError);
  });

  test('may answer with a response of its own', async () => {
    const db = connect({
      url: 'svc://fake',
      fetch: fake(() => new Response('no', { status: 418 })),
    });
    expect(await failureOf(db.run(read()))).toMatchObject({ phase: 'protocol', status: 418 });
  });
});
