/** `svc.state/`: the schemas that a project has seen, and what it does not believe of them. */

import { afterAll, describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Catalog, emptyCatalog, schemaHash } from '#catalog';
import { renderSchema } from '#schema';
import { CommandFailure } from '../../src/cli/frame/command-failure.ts';
import { AcceptedSchemas } from '../../src/cli/project/accepted.ts';
import { liesBetween, PendingMigrations } from '../../src/cli/project/pending.ts';
import { StateDirectory } from '../../src/cli/project/state-directory.ts';
import { catalogOf, posts, users } from '../catalog/support.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-accepted-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const acceptedOf = (version: number, catalog: Catalog) => ({
  version,
  hash: schemaHash(catalog),
  catalog,
});
const first = acceptedOf(1, catalogOf(users));
const second = acceptedOf(2, catalogOf(users, posts));

function project(...accepted: readonly (typeof first)[]) {
  const root = mkdtempSync(join(home, 'project-'));
  const directory = new StateDirectory(root);
  const state = new AcceptedSchemas(directory);
  for (const each of accepted) state.add(each);
  const path = join(root, 'svc.state', 'accepted');
  return { root, directory, state, path };
}

function failure(action: () => unknown): { code: string; message: string } {
  try {
    action();
  } catch (error) {
    if (error instanceof CommandFailure) return error.facts;
    throw error;
  }
  throw new Error('expected a failure');
}

test('nothing was accepted yet', () => {
  const { state } = project();
  expect([state.newest(), state.find(first.hash)]).toEqual([undefined, undefined]);
});

test('each is found by its hash, the newest by its version', () => {
  const { state, path } = project(second, first);
  expect(state.find(first.hash)).toMatchObject({ version: 1, hash: first.hash });
  expect(state.newest()).toMatchObject({ version: 2, hash: second.hash });
  expect(schemaHash(state.newest()?.catalog as Catalog)).toBe(second.hash);
  expect(readdirSync(path)).toHaveLength(2);
});

test('a schema at hand is found by what its file says, written today or otherwise', () => {
  const { state, path } = project(first);
  const file = join(path, readdirSync(path)[0] as string);
  expect(state.has(first.hash, first.catalog)).toBe(true);
  expect(state.has(second.hash, second.catalog)).toBe(false);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'));
  const anew = new AcceptedSchemas(new StateDirectory(join(path, '..', '..')));
  expect(anew.has(first.hash, first.catalog)).toBe(true);
});

test('accepting the same again changes nothing, whatever another database calls its version', () => {
  const { state, path } = project(first);
  const name = `svc.state/accepted/${readdirSync(path)[0]}`;
  expect(state.add({ ...first, version: 7 })).toBe(name);
  expect(readdirSync(path)).toHaveLength(1);
});

test('two schemas of one version stand beside each other, as after a merge of branches', () => {
  const { state, path } = project(first, { ...second, version: 1 });
  expect(readdirSync(path)).toHaveLength(2);
  expect([state.find(first.hash)?.hash, state.find(second.hash)?.hash]).toEqual([
    first.hash,
    second.hash,
  ]);
});

test('what earlier versions recorded counts', () => {
  const { root, state } = project(second);
  const changelog = join(root, 'svc.state', 'changelog');
  mkdirSync(changelog);
  writeFileSync(join(changelog, '00000001.svc.schema.yaml'), renderSchema(first.catalog));
  expect(state.find(first.hash)).toMatchObject({ version: 1, hash: first.hash });
});

describe('is not believed', () => {
  const corrupt = ({ state }: ReturnType<typeof project>) => {
    const { code, message } = failure(() => state.newest());
    expect(code).toBe('accepted_state_corrupt');
    return message;
  };
  const only = ({ path }: ReturnType<typeof project>) => join(path, readdirSync(path)[0] as string);

  test('a schema that was altered', () => {
    const altered = project(first);
    const text = readFileSync(only(altered), 'utf8');
    writeFileSync(only(altered), text.replace('name: age', 'name: years'));
    expect(corrupt(altered)).toContain('does not contain the schema with the hash in its name');
    expect(failure(() => altered.state.find(first.hash)).code).toBe('accepted_state_corrupt');
    const has = () => altered.state.has(first.hash, first.catalog);
    expect(failure(has).code).toBe('accepted_state_corrupt');
  });

  test('a file that is no schema', () => {
    const broken = project(first);
    appendFileSync(only(broken), '\n]');
    expect(corrupt(broken)).toContain('is not a schema file');
  });

  test('a name that cannot be read as a file', () => {
    const strange = project(first);
    const path = only(strange);
    rmSync(path);
    mkdirSync(path);
    expect(corrupt(strange)).toContain('cannot be read');
  });

  test('files of other names are left alone', () => {
    const { path, state } = project(first);
    writeFileSync(join(path, 'README.md'), 'ours');
    expect(state.newest()).toMatchObject({ hash: first.hash });
  });
});

describe('a migration under way', () => {
  const migration = { fromVersion: 1, from: first.catalog, to: second.catalog };

  test('is known until it ends, by its database alone', () => {
    const { directory } = project();
    const pending = new PendingMigrations(directory);
    pending.begin('abc', migration);
    expect(schemaHash(pending.of('abc')?.to as Catalog)).toBe(second.hash);
    expect(pending.of('abd')).toBeUndefined();
    pending.end('abc');
    expect(pending.of('abc')).toBeUndefined();
  });

  test('begins with nothing, too', () => {
    const pending = new PendingMigrations(project().directory);
    pending.begin('abc', { fromVersion: 0, from: emptyCatalog, to: first.catalog });
    expect(pending.of('abc')?.from.tables).toEqual([]);
  });

  test('a file that cannot be read proves nothing', () => {
    const { root, directory } = project();
    const pending = new PendingMigrations(directory);
    pending.begin('abc', migration);
    writeFileSync(join(root, 'svc.state/pending/abc.json'), '{"format_version":1}');
    expect(pending.of('abc')).toBeUndefined();
  });

  test('holds both ends and what lies between, nothing else', () => {
    expect(liesBetween(migration, first.catalog)).toBe(true);
    expect(liesBetween(migration, second.catalog)).toBe(true);
    expect(liesBetween(migration, catalogOf({ ...users, name: 'people' }))).toBe(false);
    // A colleague's table of the same name is none of this migration's making.
    const others = {
      ...posts,
      columns: [...posts.columns, { id: 99, name: 'theirs', type: 'text', nullable: true }],
    };
    expect(liesBetween(migration, catalogOf(users, others as typeof posts))).toBe(false);
    expect(liesBetween({ from: second.catalog, to: first.catalog }, second.catalog)).toBe(true);
  });
});

test('a backup is named after its moment, and version control ignores it', () => {
  const { root, directory } = project();
  const name = directory.backUp('mine', Date.UTC(2026, 10, 21, 7, 8, 9, 123));
  expect(name).toBe('svc.state/backups/20261121T070809Z.svc.schema.yaml');
  expect(readFileSync(join(root, name), 'utf8')).toBe('mine');
  expect(readFileSync(join(root, 'svc.state/.gitignore'), 'utf8')).toContain('backups/');
});
