/** What a colleague put into the database is not undone in passing, whatever part of the schema it is: `git merge -X ours` and the like. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressOf, ask, database, newStage, Project } from './story.ts';

// Only ends what hangs.
setDefaultTimeout(120_000);
newStage();

const id = '      - { id: 1, name: id, type: int64, pk: true }\n';
const before = `tables:
  - id: 1
    name: users
    columns:
${id}      - { id: 2, name: email, type: text, nullable: true }
      - { id: 3, name: age, type: text, nullable: true }
  - id: 2
    name: books
    columns:
${id}      - { id: 2, name: owner, type: int64, nullable: true }
`;

const key = (action: string) =>
  `    foreign_keys:
      - { name: fk, columns: [owner], ref_table: users, ref_columns: [id], on_delete: ${action} }
`;

interface Change {
  readonly what: string;
  readonly from?: string;
  readonly to: string;
  readonly flag: string;
  readonly says: string;
}

const email = 'name: email, type: text, nullable: true';
const changes: readonly Change[] = [
  {
    what: 'an index',
    to: before.replace(email, `${email}, index: true`),
    flag: 'delete_index',
    says: 'index users_email_idx on users will be deleted',
  },
  {
    what: 'NOT NULL',
    to: before.replace(email, 'name: email, type: text'),
    flag: 'change_column',
    says: 'nullability of column users.email will be nullable instead of not nullable',
  },
  {
    what: 'a default',
    to: before.replace(email, `${email}, default: x`),
    flag: 'change_column',
    says: 'default of column users.email will be none instead of x',
  },
  {
    what: 'a default that went',
    from: before.replace(email, `${email}, default: x`),
    to: before,
    flag: 'change_column',
    says: 'default of column users.email will be x instead of none',
  },
  {
    what: 'a format',
    to: before.replace(email, `${email}, format: email`),
    flag: 'change_column',
    says: 'format of column users.email will be none instead of email',
  },
  {
    what: 'a type',
    to: before.replace('age, type: text', 'age, type: int64'),
    flag: 'change_column',
    says: 'type of column users.age will be text instead of int64',
  },
  {
    what: 'a name, without rows',
    to: before.replace('name: email', 'name: mail'),
    flag: 'rename_column',
    says: 'column users.mail will be called email',
  },
  {
    what: 'an action of a foreign key',
    from: before + key('cascade'),
    to: before + key('set_null'),
    flag: 'change_foreign_key',
    says: 'foreign key fk on books will be cascade',
  },
  {
    what: 'an index that went',
    from: before.replace(email, `${email}, index: true`),
    to: before,
    flag: 'create_index',
    says: 'index users_email_idx on users no longer exists and will be built again',
  },
  {
    what: 'a foreign key that went',
    from: before + key('restrict'),
    to: before,
    flag: 'create_foreign_key',
    says: 'foreign key fk on books no longer exists and will be created again',
  },
];

/** As `git merge -X ours` leaves it: what the other copy shares of its state, and the own file. */
function mergeState(from: Project, into: Project): void {
  for (const place of ['accepted', 'databases', 'lineage']) {
    const [source, target] = [from, into].map((it) => join(it.root, 'svc.state', place));
    if (existsSync(source as string))
      cpSync(source as string, target as string, { recursive: true });
  }
}

/** What a clone by version control has not. */
function cloned(project: Project, name: string): Project {
  const clone = project.cloned(name);
  for (const place of ['local', 'pending', 'backups']) {
    rmSync(join(clone.root, 'svc.state', place), { recursive: true, force: true });
  }
  return clone;
}

describe('a merge that keeps the own file', () => {
  changes.forEach(({ what, from = before, to, flag, says }, i) => {
    test(`does not undo ${what} without a question`, async () => {
      const server = await database();
      const anna = await Project.made(`ours-${i}-anna`, server, from);
      expect((await anna.run('schema', 'migrate')).exitCode).toBe(0);
      const ben = anna.cloned(`ours-${i}-ben`);
      anna.write(to);
      const flags = ['--accept-changes', 'delete_foreign_key'];
      expect((await anna.run('schema', 'migrate', ...flags)).exitCode).toBe(0);
      mergeState(anna, ben);
      const check = await ben.run('schema', 'check');
      expect([check.exitCode, check.stderr]).toEqual([5, expect.stringContaining(says)]);
      expect(check.stderr).toContain('`svc schema pull` imports the changes of other developers');
      const refused = await ben.json('schema', 'migrate', '--non-interactive');
      expect([refused.exitCode, refused.document.error.details.flags]).toEqual([
        5,
        [`--accept-changes ${flag}`],
      ]);
      expect((await anna.run('schema', 'check')).stdout).toStartWith('clear  nothing');
      // Anna takes her own work back as she likes.
      anna.write(from);
      expect((await anna.run('schema', 'check')).exitCode).toBe(0);
      expect((await ben.run('schema', 'migrate', '--accept-changes', flag)).exitCode).toBe(0);
    });
  });
});

const indexed = before.replace(email, `${email}, index: true`);

describe('progress asks nothing', () => {
  test('of the copy that made it, change after change', async () => {
    const server = await database();
    const project = await Project.made('progress', server, before);
    const steps = [
      indexed,
      before.replace(email, `${email}, default: x`),
      before.replace(email, `${email}, default: y, format: email`),
      before.replace('age, type: text', 'age, type: int64'),
      before.replace('name: email', 'name: mail'),
      before,
    ];
    for (const step of [before, ...steps]) {
      project.write(step);
      expect(await project.run('schema', 'migrate')).toMatchObject({ exitCode: 0 });
    }
  });

  test('where a clone brings another database to what a colleague has accepted', async () => {
    const [dev, production] = [await database(), await database()];
    const there = ['--database-url', addressOf(production)];
    const anna = await Project.made('follow-anna', dev, indexed);
    await anna.run('schema', 'migrate');
    await anna.run('schema', 'migrate', ...there);
    anna.write(before);
    await anna.run('schema', 'migrate');
    const pipeline = cloned(anna, 'follow-pipeline');
    expect((await pipeline.run('schema', 'check', ...there)).stdout).toBe(
      'clear\n- delete index users_email_idx on users\n',
    );
    // What nobody has accepted yet may undo anything.
    pipeline.write(before.replace('name: books', 'name: book'));
    expect((await pipeline.run('schema', 'check', ...there)).exitCode).toBe(5);
  });

  test('of a fresh clone that has pulled', async () => {
    const server = await database();
    const anna = await Project.made('pulled-anna', server, indexed);
    await anna.run('schema', 'migrate');
    const ben = cloned(anna, 'pulled-ben');
    await ben.run('schema', 'pull');
    ben.write(before);
    expect((await ben.run('schema', 'migrate')).stdout).toBe('ready  version 2\n');
  });

  test('of a migration that was agreed to and interrupted', async () => {
    const server = await database();
    const anna = await Project.made('resumed-anna', server, before);
    await anna.run('schema', 'migrate');
    const ben = anna.cloned('resumed-ben');
    anna.write(indexed);
    await anna.run('schema', 'migrate');
    mergeState(anna, ben);
    expect((await ben.run('schema', 'check')).exitCode).toBe(5);
    // As it is left when the answer to the migration does not come.
    const { database_id } = await ask<{ database_id: string }>(server, '/info');
    const ends = { format_version: 1, database_id, from_version: 2, from: indexed, to: before };
    mkdirSync(join(ben.root, 'svc.state/pending'), { recursive: true });
    writeFileSync(join(ben.root, `svc.state/pending/${database_id}.json`), JSON.stringify(ends));
    expect((await ben.run('schema', 'migrate')).exitCode).toBe(0);
  });
});

test('a copy that changes branches has had what any of them had', async () => {
  const server = await database();
  const project = await Project.made('branches', server, before);
  await project.run('schema', 'migrate');
  project.write(indexed);
  await project.run('schema', 'migrate');
  // The other branch, in the same copy: somebody who has worked with the index knows of it.
  project.write(before.replace(email, `${email}, format: email`));
  const { exitCode, stderr } = await project.run('schema', 'migrate');
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('delete index users_email_idx')]);
});

test('another project that began with the same schema undoes nothing without a question', async () => {
  const server = await database();
  const shop = await Project.made('same-shop', server, indexed);
  expect((await shop.run('schema', 'migrate')).exitCode).toBe(0);
  const blog = await Project.made('same-blog', await database(), indexed);
  expect((await blog.run('schema', 'migrate')).exitCode).toBe(0);
  blog.write(before);
  const there = ['--database-url', addressOf(server)];
  const { exitCode, stderr } = await blog.run('schema', 'migrate', ...there);
  expect([exitCode, stderr]).toEqual([
    5,
    expect.stringContaining(
      'index users_email_idx on users will be deleted; this project has no record of this database',
    ),
  ]);
  // What only adds goes through and is told.
  blog.write(
    indexed.replace('  - id: 2\n', `  - id: 3\n    name: posts\n    columns:\n${id}  - id: 2\n`),
  );
  const added = await blog.run('schema', 'check', ...there);
  expect([added.exitCode, added.stderr]).toEqual([
    0,
    expect.stringContaining('this project has no record of this database'),
  ]);
});

test('the slower of two that migrate at the same time is told so', async () => {
  const server = await database();
  const anna = await Project.made('slower-anna', server, before);
  await anna.run('schema', 'migrate');
  const ben = anna.cloned('slower-ben');
  anna.write(indexed);
  using proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { method, headers, url } = request;
      const { pathname } = new URL(url);
      if (pathname === '/schema/migrate') {
        expect((await anna.run('schema', 'migrate')).exitCode).toBe(0);
      }
      const body = method === 'GET' ? null : await request.text();
      return fetch(`http://127.0.0.1:${server.port}${pathname}`, { method, headers, body });
    },
  });
  ben.write(before.replace(email, `${email}, format: email`));
  const there = `svc://127.0.0.1:${proxy.port}`;
  const { exitCode, stderr } = await ben.run('schema', 'migrate', '--database-url', there);
  expect([exitCode, stderr]).toEqual([
    6,
    expect.stringContaining(
      `conflict: another change was committed first; nothing was changed; run \`svc schema status --database-url ${there}\` to see`,
    ),
  ]);
});
