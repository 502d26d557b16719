/** `svc.state/`: what a project believes of the schema that it accepted last. */

import { afterAll, describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Catalog, schemaHash } from '#catalog';
import { CommandFailure } from '../../src/cli/frame/command-failure.ts';
import { AcceptedState } from '../../src/cli/project/accepted.ts';
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

interface Project {
  readonly root: string;
  readonly state: AcceptedState;
}

function project(...accepted: readonly (typeof first)[]): Project {
  const root = mkdtempSync(join(home, 'project-'));
  const state = new AcceptedState(root);
  for (const each of accepted) state.write(each);
  return { root, state };
}

const snapshot = (root: string, version: number) =>
  join(root, 'svc.state', 'changelog', `0000000${version}.svc.schema.yaml`);

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
  expect(project().state.read()).toBeUndefined();
});

test('what was accepted last is read back; every one before it is kept', () => {
  const { root, state } = project(first, second);
  expect(state.read()).toMatchObject({ version: 2, hash: second.hash });
  expect(schemaHash(state.read()?.catalog as Catalog)).toBe(second.hash);
  expect(existsSync(snapshot(root, 1))).toBe(true);
});

test('writing tells the files, relative to the project', () => {
  const { state } = project();
  expect(state.write(first)).toEqual({
    lockfile: 'svc.state/schema.lock.json',
    snapshot: 'svc.state/changelog/00000001.svc.schema.yaml',
  });
});

test('accepting the same again changes nothing', () => {
  const { state } = project(first);
  state.write(first);
  expect(state.read()).toMatchObject({ version: 1, hash: first.hash });
});

test('another schema under the number of an accepted one is another history', () => {
  const { root, state } = project(first);
  const text = readFileSync(snapshot(root, 1), 'utf8');
  expect(failure(() => state.write({ ...second, version: 1 }))).toMatchObject({
    code: 'schema_history_diverged',
    message: 'svc.state/changelog/00000001.svc.schema.yaml holds another schema of version 1',
  });
  expect(readFileSync(snapshot(root, 1), 'utf8')).toBe(text);
  expect(state.read()).toMatchObject({ hash: first.hash });
});

describe('is not believed', () => {
  const corrupt = ({ state }: Project) => {
    const { code, message } = failure(() => state.read());
    expect(code).toBe('accepted_state_corrupt');
    return message;
  };

  test('a snapshot that was altered', () => {
    const altered = project(first);
    const path = snapshot(altered.root, 1);
    writeFileSync(path, readFileSync(path, 'utf8').replace('name: age', 'name: years'));
    expect(corrupt(altered)).toContain('is not the schema that the lockfile names');
  });

  test('a snapshot that is no schema', () => {
    const broken = project(first);
    appendFileSync(snapshot(broken.root, 1), '\n]');
    expect(corrupt(broken)).toContain('is not the schema that the lockfile names');
  });

  test('a snapshot that is gone', () => {
    const gone = project(first);
    unlinkSync(snapshot(gone.root, 1));
    expect(corrupt(gone)).toContain('cannot be read');
  });

  const lock = {
    format_version: 1,
    schema_version: 1,
    schema_hash: first.hash,
    snapshot: 'changelog/00000001.svc.schema.yaml',
  };
  test.each([
    ['no JSON', '{'],
    ['of another format', JSON.stringify({ ...lock, format_version: 2 })],
    ['of a negative version', JSON.stringify({ ...lock, schema_version: -1 })],
    [
      'with a path out of its place',
      JSON.stringify({ ...lock, snapshot: '../00000001.svc.schema.yaml' }),
    ],
    ['with a member too many', JSON.stringify({ ...lock, more: 1 })],
  ])('a lockfile %s', (_, text) => {
    const damaged = project(first);
    writeFileSync(damaged.state.lockfile, text);
    expect(corrupt(damaged)).toBe('svc.state/schema.lock.json is no lockfile of format version 1');
  });
});

test('a backup is named after its moment', () => {
  const { root, state } = project();
  const name = state.backUp('mine', Date.UTC(2026, 10, 21, 7, 8, 9, 123));
  expect(name).toBe('svc.state/backups/20261121T070809Z.svc.schema.yaml');
  expect(readFileSync(join(root, name), 'utf8')).toBe('mine');
});
