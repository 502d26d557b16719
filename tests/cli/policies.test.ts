/** Row policies of two developers: what one puts into the database is not undone by the outdated file of the other. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { database, newStage, Project } from './story.ts';

// Only ends what hangs.
setDefaultTimeout(120_000);
newStage();

const tables = `tables:
  - id: 1
    name: note
    columns:
      - { id: 1, name: id, type: int64, pk: true }
      - { id: 2, name: owner, type: text }
`;

const own =
  '{ kind: binary, op: eq, left: { kind: col, scope: row, column: owner }, right: { kind: claim, name: sub } }';
const owners = `policies:
  claims: { sub: text }
  tables:
    note: # mine
      read: ${own}
`;
const everybody = 'policies:\n  tables:\n    note:\n      read: all\n';

async function notes(name: string) {
  const server = await database();
  const project = await Project.made(name, server, tables);
  expect((await project.run('schema', 'migrate')).exitCode).toBe(0);
  return { server, project };
}

const migrate = (project: Project, ...flags: readonly string[]) =>
  project.run('schema', 'migrate', ...flags);

test('policies are compared, migrated and recorded', async () => {
  const { server, project } = await notes('owners');
  const generated = await project.run('generate', '--lang', 'typescript', '--out', 'db');
  expect(generated.exitCode).toBe(0);
  project.write(tables + owners);
  expect(await project.status()).toBe('svc.schema.yaml contains unapplied changes');
  const { stdout } = await project.run('schema', 'diff');
  expect(stdout).toContain('- enable row policies\n- create row policy of note\n');
  const planned = await migrate(project, '--dry-run');
  expect(planned.stdout).toContain('create row policy of note\n   instant: no row is visited');
  expect((await migrate(project)).exitCode).toBe(0);
  expect(await project.status()).toBe('synchronized');
  const state = (await (await fetch(`${server.url}/schema`)).json()) as { policy_hash: string };
  const start = state.policy_hash.slice('sha256:'.length, 'sha256:'.length + 16);
  expect(readdirSync(join(project.root, 'svc.state/policies'))).toEqual([`${start}.json`]);
  expect(
    (await project.run('generate', '--lang', 'typescript', '--out', 'db', '--check')).exitCode,
  ).toBe(0);
});

test('a file without the section leaves the policies, and none removes them', async () => {
  const { project } = await notes('sections');
  project.write(tables + owners);
  await migrate(project);
  project.write(tables);
  expect(await project.status()).toBe('synchronized');
  project.write(`${tables}policies: none\n`);
  const { stdout } = await project.run('schema', 'diff');
  expect(stdout).toContain('- disable row policies\n- delete row policy of note\n');
  const open = await migrate(project);
  expect(open.exitCode).toBe(5);
  expect(open.text).toContain('row policies will be disabled');
  expect(open.text).toContain('--accept-changes disable_policies');
  expect((await migrate(project, '--accept-changes', 'disable_policies')).exitCode).toBe(0);
  expect(await project.status()).toBe('synchronized');
});

describe('two developers', () => {
  test('an outdated file does not replace the policies of the other', async () => {
    const { project } = await notes('mine');
    project.write(tables + owners);
    await migrate(project);
    const other = project.cloned('theirs');
    other.write(tables + everybody);
    expect((await migrate(other)).exitCode).toBe(0);
    expect(await project.status()).toBe('policies of the server are not in local accepted state');
    const refused = await migrate(project);
    expect(refused.exitCode).toBe(6);
    expect(refused.text).toContain('has row policies that this project has not recorded');
    const { document } = await project.json('schema', 'migrate');
    expect(document).toMatchObject({ error: { code: 'policies_unknown' } });
    const pulled = await project.run('schema', 'pull');
    expect(pulled.text).toContain('- row policies as in the database\n');
    expect(project.schema).toBe(tables + everybody);
    expect(await project.status()).toBe('synchronized');
  });

  test('policies that both changed are a conflict', async () => {
    const { project } = await notes('both');
    project.write(tables + owners);
    await migrate(project);
    const other = project.cloned('both-theirs');
    other.write(tables + everybody);
    await migrate(other);
    project.write(`${tables}policies:\n  tables:\n    note: {}\n`);
    const conflict = await project.run('schema', 'pull');
    expect(conflict.exitCode).toBe(6);
    expect(conflict.text).toContain('- policies: changed in the database and in the file');
    expect((await migrate(project)).exitCode).toBe(6);
    const adopted = await migrate(project, '--adopt');
    expect([adopted.exitCode, adopted.text]).toEqual([
      0,
      expect.stringContaining('replacing the row policies of'),
    ]);
    expect(await project.status()).toBe('synchronized');
    expect((await other.run('schema', 'pull', '--force')).exitCode).toBe(0);
    expect(other.schema).toBe(`${tables}policies:\n  tables:\n    note: {}\n`);
  });

  test('a rename of the other reaches the policies of the file', async () => {
    const { project } = await notes('renames');
    project.write(tables + owners);
    await migrate(project);
    const other = project.cloned('renames-theirs');
    other.write((tables + owners).replaceAll('owner', 'author'));
    expect((await migrate(other, '--accept-changes', 'rename_column')).exitCode).toBe(0);
    expect((await project.run('schema', 'pull')).exitCode).toBe(0);
    expect(project.schema).toBe((tables + owners).replaceAll('owner', 'author'));
    expect(await project.status()).toBe('synchronized');
  });

  test('a new project gets the policies', async () => {
    const { server, project } = await notes('first');
    project.write(tables + owners);
    await migrate(project);
    const fresh = await Project.made('fresh', server, 'tables: []\n');
    expect((await fresh.run('schema', 'pull')).exitCode).toBe(0);
    expect(fresh.schema).toContain(`    note:\n      read: ${own}\n`);
    expect(await fresh.status()).toBe('synchronized');
  });
});

test('a dropped column that a policy reads is reported before anything is changed', async () => {
  const { project } = await notes('dropped');
  project.write(tables + owners);
  await migrate(project);
  project.write(tables.replace(/.*owner.*\n/, ''));
  const blocked = await migrate(project, '--accept-data-loss', '--accept-changes', 'delete_column');
  expect(blocked.exitCode).toBe(4);
  expect(blocked.text).toContain(
    'column note.owner cannot be deleted: the row policy of table note reads it',
  );
});
