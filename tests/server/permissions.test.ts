/** Permissions of stores, spill files and object caches, and directories that other users can write. */

import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openSpillSpace } from '#storage';
import { lockDirectory } from '../../src/storage/object/directory-lock.ts';
import { systemDirectory } from '../../src/storage/object/system-directory.ts';
import { outcomeOf } from '../support/outcome.ts';
import { startTestServer } from './test-server.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-permissions-'));
afterAll(() => rmSync(home, { recursive: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

/** The modes of all directories and of all files in a tree. */
function modesIn(root: string): { directories: string[]; files: string[] } {
  const directories = new Set([modeOf(root)]);
  const files = new Set<string>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    (entry.isDirectory() ? directories : files).add(modeOf(path));
  }
  return { directories: [...directories], files: [...files] };
}

/** A directory that does not exist yet. */
let made = 0;
const fresh = () => join(home, String(++made));

async function served(path: string, flags: Record<string, string> = {}) {
  await using server = await startTestServer({ 'storage-path': path, ...flags });
  await server.server.opened;
  const name = `t${++made}`;
  const body = JSON.stringify({
    name,
    columns: [{ name: 'id', type: 'int64' }],
    primary_key: ['id'],
  });
  const headers = { 'content-type': 'application/json' };
  const created = await fetch(`${server.server.url}/tables`, { method: 'POST', headers, body });
  expect(await created.json()).toMatchObject({ name });
  return modesIn(path);
}

describe('a store', () => {
  test('is private', async () => {
    expect(await served(fresh())).toEqual({ directories: ['700'], files: ['600'] });
  });

  test('is private whatever the mask of the process, also below a new parent', async () => {
    const before = process.umask(0);
    const parent = fresh();
    try {
      expect(await served(join(parent, 'store'))).toEqual({ directories: ['700'], files: ['600'] });
      expect(modeOf(parent)).toBe('700');
    } finally {
      process.umask(before);
    }
  });

  test('is shared with its group by --storage-group', async () => {
    const modes = await served(fresh(), { 'storage-group': 'true' });
    expect(modes).toEqual({ directories: ['770'], files: ['660'] });
  });

  test('becomes shared, and keeps the group of its directory', async () => {
    const path = fresh();
    await served(path);
    chmodSync(path, 0o2700);
    await served(path, { 'storage-group': 'true' });
    expect(modeOf(path)).toBe('2770');
  });

  test('gets private files in a directory that others can read', async () => {
    const path = fresh();
    mkdirSync(path, { mode: 0o755 });
    expect((await served(path)).files).toEqual(['600']);
  });
});

test('spill files and object caches are private', async () => {
  const spill = fresh();
  openSpillSpace(spill, systemWorld().random, { limitBytes: 1 });
  expect(modeOf(spill)).toBe('700');
  const cache = fresh();
  const identity = { pid: 1, hostname: 'h', startedUnixMs: 0 };
  const lock = lockDirectory(cache, identity);
  const io = systemDirectory(cache);
  io.makeDirectory('parts');
  io.open('parts/one', 'create')?.close();
  expect(modesIn(cache)).toEqual({ directories: ['700'], files: ['600'] });
  lock.release();
});

test('the default spill directory has the permissions of its store', () => {
  const store = fresh();
  mkdirSync(store);
  chmodSync(store, 0o770);
  const path = join(store, 'spill');
  openSpillSpace(path, systemWorld().random, { limitBytes: 1, like: store });
  expect(modeOf(path)).toBe('770');
  openSpillSpace(join(store, 'private'), systemWorld().random, { limitBytes: 1 });
  expect(modeOf(join(store, 'private'))).toBe('700');
});

test('a directory for all users is not shared with its group', () => {
  const path = fresh();
  mkdirSync(path);
  chmodSync(path, 0o1777);
  systemDirectory(path).makeDirectory('own');
  expect(modeOf(join(path, 'own'))).toBe('700');
});

describe('a directory that other users can write is refused', () => {
  const open = () => {
    const path = fresh();
    mkdirSync(path);
    chmodSync(path, 0o757);
    return path;
  };
  const bucket = { storage: 's3', 's3-bucket': 'my-data', 's3-region': 'eu-central-1' };
  const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };

  test.each([
    ['storage-path', {}],
    ['spill-path', { storage: 'memory' }],
    ['store-object-cache-path', bucket],
  ] as const)('--%s', async (name, flags) => {
    const path = open();
    const started = startTestServer({ ...flags, [name]: path }, env);
    expect(await outcomeOf(started)).toThrow(
      `--${name} is "${path}": expected a directory to which other users cannot write (chmod o-w ${path})`,
    );
  });
});
