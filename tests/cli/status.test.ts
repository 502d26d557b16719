/** `svc schema status` in words: what is behind, what is in the way, and a next step that is about the same database. */

import { expect, test } from 'bun:test';
import { appendFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Catalog, schemaHash, toSchemaDocument } from '#catalog';
import { renderSchema } from '#schema';
import { AcceptedSchemas, startOfHash } from '../../src/cli/project/accepted.ts';
import { RecordedDatabases } from '../../src/cli/project/recorded-databases.ts';
import { SeenVersions } from '../../src/cli/project/seen-versions.ts';
import { StateDirectory } from '../../src/cli/project/state-directory.ts';
import { catalogOf, posts, users } from '../catalog/support.ts';
import { answering, newDirectory, projectAt, runWithin, shellFor, transitionIn } from './within.ts';

/** Its tables are called `before` in the database, and the file wants `after`; `gone on` says that another database has that already. */
async function statusOf(answer: {
  readonly blocking?: boolean;
  readonly isBehind?: boolean;
  readonly isSpoilt?: boolean;
  readonly isSwapped?: boolean;
  readonly isReverted?: boolean;
}) {
  const before = catalogOf(users);
  const after = catalogOf(users, posts);
  const change = { kind: 'create_table', summary: 'create table posts' };
  const finding = { kind: 'create_table', summary: 'two rows are alike' };
  using server = answering({
    'GET /info': { database_id: 'prod', access: 'write', mode: 'schema' },
    'GET /schema': {
      schema_version: 14,
      schema_hash: schemaHash(before),
      schema: toSchemaDocument(before),
    },
    'POST /schema/diff': {
      changes: [change],
      destructive: [],
      blocking: answer.blocking ? [finding] : [],
    },
    'GET /schema/transitions': { transitions: answer.isReverted ? [transitionIn('building')] : [] },
  });
  const config = projectAt('svc://127.0.0.1:1', renderSchema(answer.isReverted ? before : after));
  appendFileSync(config, `environments:\n  production: { database_url: "${server.url}" }\n`);
  const state = new StateDirectory(dirname(config));
  const accept = (version: number, catalog: Catalog) => {
    new AcceptedSchemas(state).add({ version, hash: schemaHash(catalog), catalog });
    new SeenVersions(state).add('dev', version, schemaHash(catalog));
  };
  new SeenVersions(state).add('prod', 15, schemaHash(after));
  accept(4, before);
  if (answer.isBehind) accept(12, after);
  if (answer.isSwapped) {
    const met = new RecordedDatabases(state);
    met.add('prod', 'staging');
    met.add('other', 'production');
  }
  if (answer.isSpoilt) {
    const start = startOfHash(schemaHash(before));
    writeFileSync(state.path(`accepted/00000004-${start}.svc.schema.yaml`), '<<<<<<< HEAD');
  }
  // Online work has no schema file.
  const file = answer.isReverted ? ['--file', join(dirname(config), 'svc.schema.yaml')] : [];
  const flags = ['--config', config, '--env', 'production', ...file];
  const heard = shellFor();
  const { stdout } = await runWithin(heard.shell, ['schema', 'status', ...flags]);
  const checked = shellFor();
  await runWithin(checked.shell, ['schema', 'check', ...flags]);
  return { text: stdout, said: heard.said.join('\n'), checked: checked.said.join('\n'), config };
}

test('the next step names the same project and environment', async () => {
  const { text, config } = await statusOf({});
  expect(text).toContain(`next      \`svc schema migrate --config ${config} --env production\`;`);
});

test('a database that others left behind is called so, with what to run', async () => {
  const { text, config } = await statusOf({ isBehind: true });
  const run = `svc schema migrate --config ${config} --env production`;
  expect(text).toContain('status    production is behind\n');
  // Once: as the next step.
  expect(text.split(run)).toHaveLength(2);
});

test('one version is shown: that of the database', async () => {
  const { text } = await statusOf({});
  expect(text.match(/version \d+/g)).toEqual(['version 14']);
  expect(text).toContain('accepted  the schema of the database');
});

test('an accepted schema that somebody spoilt: no command is the next step, but to mend it', async () => {
  const { text } = await statusOf({ isSpoilt: true });
  expect(text).toContain('status    no accepted schema of this project can be read');
  expect(text).toContain('next      restore svc.state from version control, or delete the file');
});

test('a database that was met under another name, where another one was before, is told', async () => {
  const { said, checked } = await statusOf({ isSwapped: true });
  const told = 'production led to another database before, and this one was recorded as staging';
  expect([said, checked]).toEqual([expect.stringContaining(told), expect.stringContaining(told)]);
  expect((await statusOf({})).said).not.toContain('led to another');
});

test('work that goes on after its change was taken out of the file: how to give it up', async () => {
  const { text, config } = await statusOf({ isReverted: true });
  expect(text).toContain(
    'status    synchronized\nnext      ix5 is being changed, but the schema file does',
  );
  const cancel = `svc schema transitions cancel tr1 --config ${config} --env production`;
  expect(text).toContain(`cancel it with \`${cancel}\``);
});

test('rows that stand in the way are named, and no migration is the next step', async () => {
  const { text } = await statusOf({ blocking: true });
  expect(text).toContain('blocked   two rows are alike');
  expect(text).toContain('next      correct the rows');
  expect(text).not.toContain('svc schema migrate');
});

test('status and check ask whether a database was restored, as migrate does', async () => {
  const { said, checked } = await statusOf({});
  const question = 'production is at version 14, and was at version 15; it may have been restored';
  expect([said, checked]).toEqual([
    expect.stringContaining(question),
    expect.stringContaining(question),
  ]);
});

test('a database without tables is synchronized with a file without tables', async () => {
  const empty = catalogOf();
  const schema = { schema: toSchemaDocument(empty), schema_hash: schemaHash(empty) };
  using server = answering({
    'GET /info': { database_id: 'new', access: 'write', mode: 'schema' },
    'GET /schema': { schema_version: 0, ...schema },
    'POST /schema/diff': { changes: [], destructive: [], blocking: [] },
    'GET /schema/transitions': { transitions: [] },
  });
  const config = projectAt(server.url, renderSchema(empty));
  const state = new StateDirectory(dirname(config));
  new AcceptedSchemas(state).add({ version: 0, hash: schemaHash(empty), catalog: empty });
  const flags = ['--config', config];
  const { stdout } = await runWithin(shellFor().shell, ['schema', 'status', ...flags]);
  expect(stdout).toContain('status    synchronized');
});

test('a database is behind where another one went on to a schema that it has not had since', () => {
  const seen = new SeenVersions(new StateDirectory(newDirectory()));
  const [first, second] = [catalogOf(users), catalogOf(users, posts)].map(schemaHash) as [
    string,
    string,
  ];
  const saw = (name: string, ...hashes: readonly string[]) =>
    hashes.forEach((hash, i) => {
      seen.add(name, i + 1, hash);
    });
  saw('dev', first, second, first);
  expect(seen.wentOnElsewhere('dev', first)).toBe(false);
  expect(seen.wentOnElsewhere('new', first)).toBe(false);
  saw('production', first, second);
  // The one was taken back from where the other is; that one has yet to follow it.
  expect(seen.wentOnElsewhere('dev', first)).toBe(false);
  expect(seen.wentOnElsewhere('production', second)).toBe(true);
  saw('staging', first);
  expect(seen.wentOnElsewhere('staging', first)).toBe(true);
});
