/** Several people, projects and databases: no command undoes what somebody else did without a question. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../support/program.ts';
import type { ServerProcess } from '../support/server-process.ts';
import {
  addRow,
  addressOf,
  addUser,
  ask,
  city,
  database,
  newStage,
  orders,
  Project,
  tablesOf,
  users,
} from './story.ts';

// Only ends what hangs.
setDefaultTimeout(120_000);

const home = newStage();

/** So many that online work on them takes a moment. */
async function addManyUsers(server: ServerProcess): Promise<void> {
  const numbers = (scope: string, count: number, factor: number) => ({
    kind: 'rows',
    scope,
    columns: [{ name: 'n', type: 'int64' }],
    rows: Array.from({ length: count }, (_, i) => [String(i * factor)]),
  });
  const col = (scope: string) => ({ kind: 'col', scope, column: 'n' });
  const id = { kind: 'binary', op: 'add', left: col('a'), right: col('b') };
  const nodes = {
    a: numbers('a', 500, 400),
    b: numbers('b', 400, 1),
    j: {
      kind: 'join',
      left: 'a',
      right: 'b',
      join: 'inner',
      on: { kind: 'lit', value: { type: 'bool', value: true } },
    },
    p: {
      kind: 'project',
      input: 'j',
      fields: [
        { as: 'id', expr: id },
        { as: 'email', expr: { kind: 'lit', value: { type: 'text', value: 'x' } } },
      ],
    },
  };
  const relation = { nodes, root: { node: 'p', cardinality: 'many' } };
  const statements = [
    { kind: 'create', name: 'c', table: 'users', relation },
    {
      kind: 'query',
      name: 'q',
      relation: {
        nodes: {
          r: { kind: 'rows', scope: 'r', columns: [{ name: 'n', type: 'int64' }], rows: [] },
        },
        root: { node: 'r', cardinality: 'first' },
      },
    },
  ];
  const response = await fetch(`${server.url}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ statements, result: 'q' }),
  });
  expect(await response.text()).toContain('"affected":200000');
}

describe('a colleague has migrated', () => {
  test('the other project is refused, pulls, and both go on', async () => {
    const server = await database();
    const a = await Project.made('a', server, users);
    expect((await a.run('schema', 'migrate')).exitCode).toBe(0);
    const b = a.cloned('b');
    a.write(users + city + orders);
    expect((await a.run('schema', 'migrate')).stdout).toBe('ready  version 2\n');

    const refused = await b.json('schema', 'migrate');
    expect([refused.exitCode, refused.document.error.code]).toEqual([6, 'schema_unknown']);
    expect(refused.document.error.details.differences).toEqual([
      'create table orders',
      'create column users.city',
    ]);
    expect(await tablesOf(server)).toEqual(['users', 'orders']);
    expect(await b.status()).toBe('server is ahead of local accepted state');
    expect((await b.run('schema', 'check')).exitCode).toBe(6);

    b.edit('    columns:', '    # whom we know\n    columns:');
    const pulled = await b.run('schema', 'pull');
    expect([pulled.exitCode, pulled.text]).toMatchObject([0, expect.stringContaining('orders')]);
    expect(b.schema).toContain('# whom we know');
    expect(await b.status()).toBe('synchronized');
    b.edit(city, `${city}      - { id: 4, name: zip, type: text, nullable: true }\n`);
    expect((await b.run('schema', 'migrate')).stdout).toBe('ready  version 3\n');
  });

  test('own changes of the second one are kept beside those of the first', async () => {
    const server = await database();
    const a = await Project.made('both-a', server, users);
    await a.run('schema', 'migrate');
    const b = a.cloned('both-b');
    a.write(users + city);
    await a.run('schema', 'migrate');
    const nick = '      - { id: 3, name: nick, type: text, nullable: true }\n';
    b.write(users + nick);
    expect((await b.run('schema', 'pull')).exitCode).toBe(0);
    expect(b.schema).toContain('{ id: 3, name: city, type: text, nullable: true }');
    expect(b.schema).toContain('{ id: 4, name: nick, type: text, nullable: true }');
    expect((await b.run('schema', 'migrate')).stdout).toBe('ready  version 3\n');
    // What each accepted has a file of its own: the branches merge without a conflict.
    const names = [a, b].map((it) => readdirSync(join(it.root, 'svc.state/accepted')));
    expect(names[1]).toEqual(expect.arrayContaining(names[0] as string[]));
    expect(await a.status()).toBe('server is ahead of local accepted state');
  });

  test('what came in is told as what it is, not as the work that made it', async () => {
    const server = await database();
    const a = await Project.made('words-a', server, users);
    await a.run('schema', 'migrate');
    const b = a.cloned('words-b');
    a.write(users.replace('type: text', 'type: text, nullable: true, index: true') + city);
    expect((await a.run('schema', 'migrate')).exitCode).toBe(0);
    b.write(`${users}      - { id: 3, name: nick, type: text, nullable: true }\n`);
    const told = [
      '- create column users.city',
      '- change column users.email',
      '- create index users_email_idx on users',
    ];
    const lines = (text: string) => text.split('\n').filter((line) => line.startsWith('- '));
    expect(lines((await b.run('schema', 'migrate')).stderr)).toEqual(told);
    expect(lines((await b.run('schema', 'pull')).stdout)).toEqual([
      ...told,
      '- column users.nick now has id 4, because 3 belongs to another column of the database',
    ]);
  });

  test('a column that this copy deletes stays deleted when the database got others', async () => {
    const server = await database();
    const a = await Project.made('gone-a', server, users);
    await a.run('schema', 'migrate');
    a.write(users.replace('type: text', 'type: text, nullable: true, index: true') + city);
    await a.run('schema', 'migrate');
    const b = a.cloned('gone-b');
    b.write(b.schema + orders);
    await b.run('schema', 'migrate');
    const own = users.replace(/.*name: email.*\n/, city);
    a.write(own);
    expect((await a.run('schema', 'pull')).stdout).toContain('- create table orders\n');
    expect(a.schema).toStartWith(own);
  });

  test('two renames of one column meet in words, not in data', async () => {
    const server = await database();
    const a = await Project.made('race-a', server, users);
    await a.run('schema', 'migrate');
    await addUser(server, 1);
    const b = a.cloned('race-b');
    a.edit('name: email', 'name: mail');
    const asked = await a.json('schema', 'migrate');
    expect([asked.exitCode, asked.document.error.details.flags]).toEqual([
      5,
      ['--accept-changes rename_column'],
    ]);
    expect((await a.run('schema', 'migrate', '--accept-changes', 'rename_column')).exitCode).toBe(
      0,
    );
    b.edit('name: email', 'name: address');
    expect((await b.run('schema', 'migrate', '--accept-changes', 'rename_column')).exitCode).toBe(
      6,
    );
    const pulled = await b.json('schema', 'pull');
    expect([pulled.exitCode, pulled.document.error.details.conflicts]).toEqual([
      6,
      ['column users.email: named mail in the database, address in the file'],
    ]);
    expect(b.schema).toContain('name: address');
  });

  test('whoever insists says so', async () => {
    const server = await database();
    const a = await Project.made('adopt-a', server, users);
    await a.run('schema', 'migrate');
    const b = a.cloned('adopt-b');
    a.write(users + city + orders);
    await a.run('schema', 'migrate');
    await addUser(server, 1);
    const asked = await b.json('schema', 'migrate', '--adopt');
    expect([asked.exitCode, asked.document.error.details.flags]).toEqual([
      5,
      ['--accept-changes delete_column', '--accept-changes delete_table'],
    ]);
    const agreed = ['--accept-changes', 'delete_column', 'delete_table'];
    const done = await b.run('schema', 'migrate', '--adopt', ...agreed);
    expect([done.exitCode, done.stdout]).toEqual([0, 'ready  version 3\n']);
    expect(await tablesOf(server)).toEqual(['users']);
  });

  test('who adopts is asked about everything that this deletes, rows or none', async () => {
    const server = await database();
    const a = await Project.made('insist-a', server, users);
    await a.run('schema', 'migrate');
    const b = a.cloned('insist-b');
    b.write(users + city + orders);
    await b.run('schema', 'migrate');
    const goes = ['column users.city will be deleted', 'table orders will be deleted'];
    const adopt = ['schema', 'migrate', '--adopt'];
    const { exitCode, stderr } = await a.run(...adopt, '--non-interactive');
    expect(exitCode).toBe(5);
    for (const what of goes) expect(stderr).toContain(what);
    expect(stderr).toContain('`svc schema pull` imports the changes of other developers');
    const planned = await a.run(...adopt, '--dry-run');
    expect(planned.exitCode).toBe(0);
    for (const what of goes) expect(planned.stdout).toContain(`requires confirmation: ${what}`);
    expect(await tablesOf(server)).toEqual(['users', 'orders']);
    expect((await b.run('schema', 'check')).stdout).toStartWith('clear  nothing');
  });

  test('who adopts is asked about an index that somebody took back into the database', async () => {
    const server = await database();
    const indexed = users.replace('type: text', 'type: text, index: true');
    const a = await Project.made('insist-index-a', server, indexed);
    await a.run('schema', 'migrate');
    const b = a.cloned('insist-index-b');
    a.write(users);
    await a.run('schema', 'migrate');
    await b.run('schema', 'pull');
    b.write(indexed);
    expect((await b.run('schema', 'migrate')).stdout).toBe('ready  version 3\n');
    const asked = await a.json('schema', 'migrate', '--adopt');
    expect([asked.exitCode, asked.document.error]).toMatchObject([
      5,
      {
        message: expect.stringContaining('index users_email_idx on users will be deleted'),
        details: { flags: ['--accept-changes delete_index'] },
      },
    ]);
  });
});

describe('what a colleague took back stays taken back', () => {
  /** Both copies have seen orders; `a` has deleted the table again. */
  async function takenBack(name: string) {
    const server = await database();
    const a = await Project.made(`${name}-a`, server, users);
    await a.run('schema', 'migrate');
    const b = a.cloned(`${name}-b`);
    b.write(users + orders);
    expect((await b.run('schema', 'migrate')).exitCode).toBe(0);
    await a.run('schema', 'pull');
    a.write(users);
    expect((await a.run('schema', 'migrate')).stdout).toBe('ready  version 3\n');
    return { server, a, b };
  }

  test('an old schema at a new version is none that the other copy has seen', async () => {
    const { server, b } = await takenBack('undone');
    const refused = await b.json('schema', 'migrate');
    expect([refused.exitCode, refused.document.error]).toMatchObject([
      6,
      {
        code: 'schema_unknown',
        message: expect.stringContaining('was reverted to a schema that it had before'),
        details: { differences: ['delete table orders'] },
      },
    ]);
    for (const command of ['check', 'diff']) {
      expect((await b.run('schema', command)).exitCode).toBe(6);
    }
    expect(await b.status()).toBe('server is ahead of local accepted state');
    expect((await b.run('doctor')).stdout).toContain('was reverted to an earlier schema');
    expect(await tablesOf(server)).toEqual(['users']);
    expect((await b.run('schema', 'pull')).stdout).toContain('- delete table orders\n');
    expect(b.schema).toBe(users);
    expect(await b.status()).toBe('synchronized');
    b.write(users + orders.replace('id: 2', 'id: 3'));
    expect((await b.run('schema', 'migrate')).stdout).toBe('ready  version 4\n');
  });

  test('what the other copy has seen by a merge of branches is known to it', async () => {
    const { a, b } = await takenBack('merged');
    cpSync(join(a.root, 'svc.state'), join(b.root, 'svc.state'), { recursive: true, force: false });
    b.write(users + city);
    expect((await b.run('schema', 'migrate')).stdout).toBe('ready  version 4\n');
  });

  test('another database that is behind has not been taken back', async () => {
    const { b } = await takenBack('several');
    const staging = await database();
    const there = ['--database-url', addressOf(staging)];
    const other = await Project.made('several-staging', staging, users);
    expect((await other.run('schema', 'migrate')).exitCode).toBe(0);
    const { exitCode, stderr } = await b.run('schema', 'migrate', ...there);
    expect([exitCode, stderr]).toMatchObject([
      0,
      expect.stringContaining('this project has no record of this database'),
    ]);
  });

  test('a migration whose end was not seen, and which somebody took back, is not sent again', async () => {
    const server = await database();
    const a = await Project.made('unseen-a', server, users);
    await a.run('schema', 'migrate');
    const b = a.cloned('unseen-b');
    b.write(users + orders);
    await b.run('schema', 'migrate');
    // As an interruption leaves it: the migration was sent, and its end not seen.
    const before = a.cloned('unseen-c');
    const { database_id } = await ask<{ database_id: string }>(server, '/info');
    mkdirSync(join(before.root, 'svc.state/pending'), { recursive: true });
    writeFileSync(
      join(before.root, `svc.state/pending/${database_id}.json`),
      JSON.stringify({
        format_version: 1,
        database_id,
        from_version: 1,
        from: users,
        to: b.schema,
      }),
    );
    before.write(users + city);
    expect(await before.status()).toBe('a migration of this project is under way');
    await a.run('schema', 'pull');
    a.write(users);
    await a.run('schema', 'migrate');
    const refused = await before.run('schema', 'migrate');
    expect([refused.exitCode, refused.stderr]).toMatchObject([
      6,
      expect.stringContaining('a migration of this project was reverted there'),
    ]);
    expect((await before.run('schema', 'pull')).exitCode).toBe(0);
    expect((await before.run('schema', 'migrate')).stdout).toBe('ready  version 4\n');
  });
});

describe('one database alone', () => {
  test('that has a schema again, or no tables any more, is not behind another one', async () => {
    const server = await database();
    const project = await Project.made('alone', server, users);
    await project.run('schema', 'migrate');
    for (const schema of [users + city, users, users + orders]) {
      project.write(schema);
      expect((await project.run('schema', 'migrate')).exitCode).toBe(0);
      for (const command of [['schema', 'status'], ['schema', 'check'], ['doctor']]) {
        const { exitCode, text } = await project.run(...command);
        expect([exitCode, text]).toEqual([0, expect.not.stringContaining('another database')]);
      }
    }
    project.write('tables: []\n');
    await project.run('schema', 'migrate');
    project.write(users.replace('id: 1\n', 'id: 3\n'));
    await project.run('schema', 'migrate');
    const { schema_version, schema_hash } = await ask<{
      schema_version: number;
      schema_hash: string;
    }>(server, '/schema');
    const emptied = await fetch(`${server.url}/schema/migrate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        schema: 'tables: []\n',
        current_version: schema_version,
        current_hash: schema_hash,
      }),
    });
    expect(emptied.status).toBe(200);
    project.write(users.replace('id: 1\n', 'id: 4\n'));
    const [status, doctor, plan] = [
      await project.run('schema', 'status'),
      await project.run('doctor'),
      await project.run('schema', 'migrate', '--dry-run'),
    ];
    expect(doctor).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('the database is empty'),
    });
    for (const { text } of [status, doctor, plan]) {
      expect(text).not.toContain('another database');
      expect(text).not.toContain('not recorded');
    }
  });
});

describe('what this copy never had is not deleted in passing', () => {
  test('an empty table and an empty column that came by a merge, when the file did not', async () => {
    const server = await database();
    const a = await Project.made('passing-a', server, users);
    await a.run('schema', 'migrate');
    const b = a.cloned('passing-b');
    a.write(users + city + orders);
    await a.run('schema', 'migrate');
    // As `git merge -X ours` leaves it: what the other one accepted, and the own file.
    for (const place of ['accepted', 'databases']) {
      const [from, to] = [a, b].map((it) => join(it.root, 'svc.state', place));
      cpSync(from as string, to as string, { recursive: true });
    }
    const asked = await b.json('schema', 'migrate');
    expect([asked.exitCode, asked.document.error]).toMatchObject([
      5,
      {
        message: expect.stringContaining(
          'this copy of the project has no record of it in its schema file',
        ),
        details: { flags: ['--accept-changes delete_column', '--accept-changes delete_table'] },
      },
    ]);
    expect((await b.run('schema', 'check')).exitCode).toBe(5);
    expect(await tablesOf(server)).toEqual(['users', 'orders']);
    // The one that made them takes them back without a question: nothing is lost.
    a.write(users);
    expect((await a.run('schema', 'migrate')).exitCode).toBe(0);
  });
});

describe('another database', () => {
  test('a new project does nothing to a database that it has never seen', async () => {
    const server = await database();
    const owner = await Project.made('owner', server, users);
    await owner.run('schema', 'migrate');
    const stranger = await Project.made('stranger', server, users.replace('users', 'people'));
    for (const flags of [[], ['--accept-data-loss'], ['--accept-changes', 'rename_table']]) {
      const { exitCode, stderr } = await stranger.run('schema', 'migrate', ...flags);
      expect(exitCode).toBe(6);
      expect(stderr).toContain('that this project has not recorded');
    }
    expect(await tablesOf(server)).toEqual(['users']);
  });

  test('an empty one is always fine', async () => {
    const first = await database();
    const project = await Project.made('moving', first, users);
    await project.run('schema', 'migrate');
    project.write(users + city);
    const second = await database();
    const argv = ['schema', 'migrate', '--database-url', addressOf(second)];
    expect(await project.run(...argv)).toMatchObject({ exitCode: 0, stdout: 'ready  version 1\n' });
  });

  test('staging may be behind production', async () => {
    const [staging, production] = [await database(), await database()];
    const project = await Project.made('staged', production, users);
    writeFileSync(
      join(project.root, 'svc.config.yaml'),
      [
        'environments:',
        `  staging: { database_url: "${addressOf(staging)}" }`,
        `  production: { database_url: "${addressOf(production)}" }`,
        '',
      ].join('\n'),
    );
    expect((await project.run('schema', 'migrate')).exitCode).toBe(2);
    for (const name of ['staging', 'production']) {
      const { exitCode, stderr } = await project.run('schema', 'migrate', '--env', name);
      expect([exitCode, stderr]).toMatchObject([0, expect.stringContaining(`database ${name}: `)]);
    }
    project.write(users + city);
    expect((await project.run('schema', 'migrate', '--env', 'production')).exitCode).toBe(0);
    expect(await project.status('--env', 'staging')).toBe(
      'local accepted state is ahead of server',
    );
    project.write(users + city + orders);
    expect((await project.run('schema', 'migrate', '--env', 'staging')).exitCode).toBe(0);
    expect(await project.status('--env', 'production')).toBe(
      'local accepted state is ahead of server',
    );
  });

  test('a server that another one has taken the place of is noticed', async () => {
    const server = await database();
    const project = await Project.made('swapped', server, users);
    const info = await ask<{ database_id: string }>(server, '/info');
    const schema = await ask<{ schema_version: number; schema_hash: string }>(server, '/schema');
    const response = await fetch(`${server.url}/schema/migrate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        schema: project.schema,
        current_version: schema.schema_version,
        current_hash: schema.schema_hash,
        database_id: `${info.database_id}0`,
      }),
    });
    expect([response.status, await response.json()]).toMatchObject([
      409,
      {
        code: 'conflict',
        reason: 'serializable_conflict',
        detail: expect.stringContaining(info.database_id),
      },
    ]);
    expect(await tablesOf(server)).toEqual([]);
  });

  test('a restored server is behind, and goes on from there', async () => {
    const directory = join(home, 'restored');
    const flags = ['--storage', 'file', '--storage-path', directory];
    const first = await database(...flags);
    const project = await Project.made('restoring', first, users);
    await project.run('schema', 'migrate');
    first.kill('SIGTERM');
    await first.exited;
    cpSync(directory, `${directory}.backup`, { recursive: true });
    const second = await database(...flags);
    project.write(users + city);
    const argv = ['--database-url', addressOf(second)];
    expect((await project.run('schema', 'migrate', ...argv)).exitCode).toBe(0);
    second.kill('SIGTERM');
    await second.exited;
    rmSync(directory, { recursive: true });
    cpSync(`${directory}.backup`, directory, { recursive: true });
    const third = await database(...flags);
    const again = ['--database-url', addressOf(third)];
    expect(await project.status(...again)).toBe('local accepted state is ahead of server');
    expect((await project.run('schema', 'migrate', ...again)).stdout).toBe('ready  version 2\n');
  });
});

describe('pull from a database that is not where the project is', () => {
  test('one that is behind takes nothing from the file', async () => {
    const [here, staging] = [await database(), await database()];
    const project = await Project.made('behind', here, users);
    const there = ['--database-url', addressOf(staging)];
    await project.run('schema', 'migrate');
    await project.run('schema', 'migrate', ...there);
    project.write(users + orders);
    expect((await project.run('schema', 'migrate')).exitCode).toBe(0);
    const known = await project.run('schema', 'pull', ...there);
    expect([known.exitCode, project.schema]).toEqual([0, users + orders]);
    const other = await Project.made('hotfix', staging, users + city);
    await other.run('schema', 'pull');
    other.write(users + city);
    expect((await other.run('schema', 'migrate')).exitCode).toBe(0);
    expect((await project.run('schema', 'pull', ...there)).exitCode).toBe(0);
    expect(project.schema).toBe(users + city + orders);
  });

  test('one that was restored and went another way: its table stands beside the own one', async () => {
    const [before, restored] = [await database(), await database()];
    const project = await Project.made('other-way', before, users);
    await project.run('schema', 'migrate');
    const colleague = project.cloned('other-way-too');
    const there = ['--database-url', addressOf(restored)];
    await colleague.run('schema', 'migrate', ...there);
    project.write(users + orders);
    await project.run('schema', 'migrate');
    colleague.write(users + orders.replace('orders', 'invoices'));
    expect((await colleague.run('schema', 'migrate', ...there)).exitCode).toBe(0);
    const refused = await project.run('schema', 'migrate', ...there);
    expect([refused.exitCode, refused.stderr]).toMatchObject([
      6,
      expect.stringContaining('it differs from all schemas that this project has accepted'),
    ]);
    // The one before is gone, which nobody but its people can know.
    expect((await project.run('schema', 'pull', ...there)).exitCode).toBe(6);
    rmSync(join(project.root, 'svc.state', 'databases'), { recursive: true });
    expect((await project.run('schema', 'pull', ...there)).stdout).toContain(
      '- create table invoices\n- table orders now has id 3, because 2 belongs to another table of the database\n',
    );
    expect((await project.run('schema', 'migrate', ...there)).exitCode).toBe(0);
    expect(await tablesOf(restored)).toEqual(['users', 'invoices', 'orders']);
  });

  test('a file that went back to what it was gets again what has come since', async () => {
    const server = await database();
    const project = await Project.made('stashed', server, users);
    await project.run('schema', 'migrate');
    const colleague = project.cloned('stashing');
    colleague.write(users + orders);
    await colleague.run('schema', 'migrate');
    project.write(users + city);
    await project.run('schema', 'pull');
    project.write(users + city);
    expect((await project.run('schema', 'pull')).stdout).toContain('- create table orders');
    expect((await project.run('schema', 'migrate')).exitCode).toBe(0);
    expect(await tablesOf(server)).toEqual(['users', 'orders']);
  });
});

describe('pipelines', () => {
  test('check says what a migration would need, and changes nothing', async () => {
    const server = await database();
    const project = await Project.made('pipeline', server, users);
    expect((await project.run('schema', 'check')).stdout).toBe('clear\n- create table users\n');
    await project.run('schema', 'migrate');
    await addUser(server, 1);
    project.edit('name: email', 'name: mail');
    const asked = await project.run('schema', 'check');
    expect([asked.exitCode, asked.stderr]).toMatchObject([
      5,
      expect.stringContaining('(--accept-changes rename_column)'),
    ]);
    expect((await project.run('schema', 'diff', '--exit-code')).exitCode).toBe(3);
    const plan = await project.run('schema', 'migrate', '--dry-run');
    expect([plan.exitCode, plan.stdout]).toEqual([
      0,
      [
        '1. rename column users.email -> mail',
        '   instant: no row is visited; one commit',
        'requires confirmation: column users.email will be called mail: programs that use the old name will fail (--accept-changes rename_column)',
        '',
      ].join('\n'),
    ]);
    expect(await tablesOf(server)).toEqual(['users']);
    project.write(users.replace('type: text', 'type: text, index: true'));
    const build = await project.json('schema', 'migrate', '--dry-run');
    expect(build.document.plan).toMatchObject([
      { kind: 'start_index_build', how: 'online', rows: 1, estimate_seconds: 1 },
    ]);
  });

  test('the plan of another type names the rows and what waits', async () => {
    const server = await database();
    const age = '      - { id: 3, name: age, type: text, nullable: true, index: true }\n';
    const project = await Project.made('typed', server, users + age);
    await project.run('schema', 'migrate');
    for (const id of [1, 2]) {
      await addRow(server, 'users', [
        ['id', 'int64', String(id)],
        ['email', 'text', 'x'],
        ['age', 'text', String(40 + id)],
      ]);
    }
    project.edit('name: age, type: text', 'name: age, type: int64');
    expect((await project.run('schema', 'migrate', '--dry-run')).stdout).toBe(
      [
        '1. delete index users_age_idx on users',
        '   instant: no row is visited; one commit; queries cannot use it until it is built again',
        '2. replace column users.age',
        '   online: 2 rows, about a second; values are converted from text to int64; reads and writes continue; writes to the table wait up to 50 ms at the end',
        '3. start index build users_age_idx on users',
        '   online: 2 rows, about a second; reads and writes continue; writes to the table wait up to 50 ms at the end',
        '',
      ].join('\n'),
    );
    expect((await project.run('schema', 'migrate')).stdout).toBe('ready  version 4\n');
  });

  test('a column without any value asks as well when its table has rows', async () => {
    const server = await database();
    const project = await Project.made('nulls', server, users + city);
    await project.run('schema', 'migrate');
    project.write(users);
    expect((await project.run('schema', 'check')).exitCode).toBe(0);
    project.write(users + city);
    await addUser(server, 1);
    project.write(users);
    const { exitCode, document } = await project.json('schema', 'migrate');
    expect([exitCode, document.error.details]).toMatchObject([
      5,
      { destructive: [], flags: ['--accept-changes delete_column'] },
    ]);
    const argv = ['schema', 'migrate', '--accept-changes', 'delete_column'];
    expect((await project.run(...argv)).exitCode).toBe(0);
  });

  test('a project without any accepted schema is told what its file has not', async () => {
    const server = await database();
    const project = await Project.made('forgetful', server, users + orders);
    await project.run('schema', 'migrate');
    rmSync(join(project.root, 'svc.state'), { recursive: true });
    project.write(users);
    const { document, exitCode } = await project.json('schema', 'migrate');
    expect([exitCode, document.error.details.differences]).toEqual([6, ['create table orders']]);
  });

  test('a file that is not valid is not said to be in conflict', async () => {
    const server = await database();
    const project = await Project.made('tabbed', server, users);
    await project.run('schema', 'migrate');
    project.edit('      - {', '\t- {');
    const { document, exitCode } = await project.json('schema', 'pull');
    expect([exitCode, document.error.code]).toEqual([1, 'schema_invalid']);
  });

  test('pull leaves a file alone that says the same', async () => {
    const server = await database();
    const project = await Project.made('same', server, `# ours\n${users}`);
    await project.run('schema', 'migrate');
    const { stdout } = await project.run('schema', 'pull');
    expect(stdout).toBe('pulled  version 1; svc.schema.yaml is unchanged\n');
    expect(project.schema).toBe(`# ours\n${users}`);
  });
});

describe('an interrupted migration', () => {
  const indexed = users.replace('type: text', 'type: text, index: true');

  /** A migration that is at work online, as a process. */
  function migrating(project: Project) {
    const child = Bun.spawn([...program, 'schema', 'migrate', '--json'], {
      cwd: project.root,
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const lines: string[] = [];
    const atWork = Promise.withResolvers<void>();
    const ended = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of child.stderr) {
        lines.push(decoder.decode(chunk, { stream: true }));
        if (lines.join('').includes('"event":"transition"')) atWork.resolve();
      }
      atWork.resolve();
      const stdout = await new Response(child.stdout).text();
      return { exitCode: await child.exited, stdout, stderr: lines.join('') };
    })();
    return { child, atWork: atWork.promise, ended };
  }

  test('Ctrl-C says what goes on, and the next migrate takes it up', async () => {
    const server = await database();
    const project = await Project.made('ctrl-c', server, users);
    await project.run('schema', 'migrate');
    await addManyUsers(server);
    project.write(indexed);
    const { child, atWork, ended } = migrating(project);
    await atWork;
    child.kill('SIGINT');
    const { exitCode, stderr } = await ended;
    expect(exitCode).toBe(130);
    expect(stderr).toContain('the migration is committed and continues on the server: tr');
    // What was begun is this project's own, wherever it stands and whatever the file says by now.
    project.write(users);
    expect(['a migration of this project is under way', 'synchronized']).toContain(
      await project.status(),
    );
    project.write(indexed);
    expect((await project.run('schema', 'migrate')).stdout).toBe('ready  version 2\n');
    expect(await project.status()).toBe('synchronized');
  });

  test('a schema that moves between two questions is looked at again', async () => {
    const server = await database();
    const project = await Project.made('compared-anew', server, users);
    await project.run('schema', 'migrate');
    const origin = `http://127.0.0.1:${server.port}`;
    let before: unknown = await (await fetch(`${origin}/schema`)).json();
    project.write(`${users}${city}`);
    await project.run('schema', 'migrate');
    using proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { pathname } = new URL(request.url);
        if (pathname !== '/schema' || request.method !== 'GET' || before === undefined) {
          const { method, headers } = request;
          const body = method === 'GET' ? null : await request.text();
          return fetch(`${origin}${pathname}`, { method, headers, body });
        }
        const stale = Response.json(before);
        before = undefined;
        return stale;
      },
    });
    project.write(`${users}${city}${orders}`);
    const url = `svc://127.0.0.1:${proxy.port}`;
    const { stdout, stderr } = await project.run('schema', 'migrate', '--database-url', url);
    expect([stdout, stderr]).toEqual(['ready  version 3\n', expect.anything()]);
    expect(await project.status()).toBe('synchronized');
  });

  test('rows that come after the losses were named are not lost with them', async () => {
    const server = await database();
    const project = await Project.made('more-loss', server, `${users}${orders}`);
    await project.run('schema', 'migrate');
    const addOrder = () => addRow(server, 'orders', [['id', 'int64', '1']]);
    await addUser(server, 1);
    const origin = `http://127.0.0.1:${server.port}`;
    let hasCome = false;
    using proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { method, headers, url } = request;
        const { pathname } = new URL(url);
        if (pathname === '/schema/migrate' && !hasCome) {
          hasCome = true;
          await addOrder();
        }
        const body = method === 'GET' ? null : await request.text();
        return fetch(`${origin}${pathname}`, { method, headers, body });
      },
    });
    project.write('tables: []\n');
    const url = `svc://127.0.0.1:${proxy.port}`;
    const flags = ['--accept-data-loss', '--accept-changes', 'delete_table'];
    const refused = await project.run('schema', 'migrate', '--database-url', url, ...flags);
    expect([refused.exitCode, refused.stderr]).toEqual([
      5,
      expect.stringContaining(
        'more data would be lost than accepted_losses allows; compare again: table orders',
      ),
    ]);
    expect(hasCome).toBe(true);
    const agreed = await project.run('schema', 'migrate', '--database-url', url, ...flags);
    expect(agreed.stdout).toBe('ready  version 2\n');
  });

  test('a server that comes back within half a minute is waited for', async () => {
    const directory = join(home, 'killed');
    const flags = ['--storage', 'file', '--storage-path', directory];
    const first = await database(...flags);
    const project = await Project.made('killed-server', first, users);
    await project.run('schema', 'migrate');
    await addManyUsers(first);
    project.write(indexed);
    const { atWork, ended } = migrating(project);
    await atWork;
    first.kill('SIGKILL');
    await first.exited;
    await database(...flags, '--addr', `127.0.0.1:${first.port}`);
    const { exitCode, stdout, stderr } = await ended;
    expect([exitCode, stderr]).toMatchObject([0, expect.anything()]);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'ready' });
    expect(await project.status()).toBe('synchronized');
  });
});

test('a foreign key that no longer refuses deletions needs a confirmation', async () => {
  const server = await database();
  const parent = `tables:
  - id: 1
    name: author
    columns:
      - { id: 1, name: id, type: int64, pk: true }
  - id: 2
    name: book
    columns:
      - { id: 1, name: id, type: int64, pk: true }
      - { id: 2, name: author_id, type: int64, nullable: true }
`;
  const key = (action: string) =>
    `    foreign_keys:
      - { name: fk, columns: [author_id], ref_table: author, ref_columns: [id], on_delete: ${action} }
`;
  const project = await Project.made('loosened', server, parent + key('restrict'));
  expect((await project.run('schema', 'migrate')).stdout).toBe('ready  version 1\n');
  const flags = ['--accept-changes', 'loosen_foreign_key'];
  for (const [refusing, to, effect] of [
    ['restrict', 'cascade', 'also delete the referencing rows'],
    ['no_action', 'set_null', 'clear the references to the deleted rows'],
  ] as const) {
    // Both actions refuse deletions, so neither the change between them nor the way back loosens a rule.
    project.write(parent + key(refusing));
    expect((await project.run('schema', 'migrate')).exitCode).toBe(0);
    project.write(parent + key(to));
    const refused = await project.run('schema', 'migrate');
    expect([refused.exitCode, refused.stderr]).toEqual([
      5,
      expect.stringContaining(
        `foreign key fk on book will be ${to}: deletions that are refused now will ${effect}`,
      ),
    ]);
    expect(refused.stderr).toContain('--accept-changes loosen_foreign_key');
    expect((await project.run('schema', 'migrate', ...flags)).exitCode).toBe(0);
  }
  project.write(parent + key('restrict'));
  expect((await project.run('schema', 'migrate')).exitCode).toBe(0);
  project.write(parent + key('no_action'));
  expect((await project.run('schema', 'migrate')).exitCode).toBe(0);
});

describe('two databases that gave one id to different tables', () => {
  const tags = orders.replace('orders', 'tags');

  /** `dev` has orders under id 2, `staging` has tags under it, and the file of the project has tags. */
  async function clashing(name: string) {
    const [dev, staging] = [await database(), await database()];
    const anna = await Project.made(`${name}-anna`, dev, users);
    const there = ['--database-url', addressOf(staging)];
    await anna.run('schema', 'migrate');
    await anna.run('schema', 'migrate', ...there);
    const ben = anna.cloned(`${name}-ben`);
    anna.write(users + orders);
    expect((await anna.run('schema', 'migrate')).exitCode).toBe(0);
    ben.write(users + tags);
    expect((await ben.run('schema', 'migrate', ...there)).exitCode).toBe(0);
    return { dev, staging, anna, ben, there };
  }

  test('pull refuses to give the table another id, and names who has it', async () => {
    const { ben, dev, staging, there } = await clashing('pulled');
    const { exitCode, document } = await ben.json('schema', 'pull');
    expect([exitCode, document.error.code]).toEqual([6, 'table_id_taken']);
    expect(document.error.details).toMatchObject({
      tables: [
        {
          id: 2,
          desired_table: 'tags',
          database_table: 'orders',
          accepted: expect.stringContaining('svc.state/accepted/00000002-'),
          free_id: 3,
        },
      ],
      databases: [addressOf(staging)],
    });
    expect(ben.schema).toBe(users + tags);
    // The way out where the table is empty.
    ben.write(users + tags.replace('id: 2', 'id: 3'));
    expect((await ben.run('schema', 'pull')).exitCode).toBe(0);
    expect((await ben.run('schema', 'migrate')).exitCode).toBe(0);
    const flags = ['--accept-changes', 'reuse_table_name'];
    expect((await ben.run('schema', 'migrate', ...there)).exitCode).toBe(5);
    expect((await ben.run('schema', 'migrate', ...there, ...flags)).exitCode).toBe(0);
    expect(await tablesOf(staging)).toEqual(['users', 'orders', 'tags']);
    expect(await tablesOf(dev)).toEqual(['users', 'orders', 'tags']);
  });

  test("a merged history that gives one id to two tables makes no rename of a colleague's", async () => {
    const { anna, ben, dev } = await clashing('merged');
    const [from, to] = [anna.root, ben.root].map((root) => `${root}/svc.state`) as [string, string];
    for (const part of ['accepted', 'databases', 'lineage']) {
      cpSync(`${from}/${part}`, `${to}/${part}`, { recursive: true });
    }
    const sentence =
      'id 2 is table orders in this database and table tags in the schema file, and no accepted';
    const shared =
      'table tags has id 2, which accepted schemas also give to another table (orders)';
    expect((await ben.run('validate')).stderr).toContain(shared);
    expect((await ben.run('schema', 'diff')).stderr).toContain(`warning: ${sentence}`);
    const renames = ['--accept-changes', 'rename_table'];
    const refused = await ben.run('schema', 'migrate', ...renames);
    expect([refused.exitCode, refused.stderr]).toEqual([5, expect.stringContaining(sentence)]);
    expect((await ben.run('schema', 'check')).exitCode).toBe(5);
    expect(await tablesOf(dev)).toEqual(['users', 'orders']);
    const agreed = await ben.run('schema', 'migrate', ...renames, 'reuse_table_name');
    expect(agreed.exitCode).toBe(0);
    // A rename of one's own is one, in a database that has not had it yet as well.
    ben.edit('name: tags', 'name: labels');
    expect((await ben.run('schema', 'migrate')).exitCode).toBe(0);
    expect((await ben.run('validate')).stderr).not.toContain('another table');
  });

  test('a migration to the other one asks, rows or none', async () => {
    const { ben, staging, there } = await clashing('migrated');
    ben.write(users + orders + tags.replace('id: 2', 'id: 3'));
    const sentence = 'table tags has id 2 in this database and id 3 in the schema file';
    const refused = await ben.run('schema', 'migrate', ...there);
    expect([refused.exitCode, refused.stderr]).toMatchObject([
      5,
      expect.stringContaining(`error: ${sentence}`),
    ]);
    expect(await tablesOf(staging)).toEqual(['users', 'tags']);
    const shown = await ben.run('schema', 'diff', ...there);
    expect(shown.stderr).toContain(`warning: ${sentence}`);
    const { stderr } = await ben.run('schema', 'check', ...there, '--json');
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'confirmation_required',
      notes: expect.arrayContaining([expect.stringContaining(sentence)]),
      details: { flags: ['--accept-changes reuse_table_name'] },
    });
    const check = await ben.run('schema', 'check', ...there);
    expect([check.exitCode, check.stderr]).toMatchObject([5, expect.stringContaining(sentence)]);
  });
});
