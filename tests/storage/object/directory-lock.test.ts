/** One process a directory. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDirectory, readHolder } from '../../../src/storage/object/directory-lock.ts';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-lock-'));
afterAll(() => rmSync(root, { recursive: true }));

const me = { pid: 42, hostname: 'here', startedUnixMs: 1_700_000_000_000 };
const directory = (): string => mkdtempSync(join(root, 'd-'));

function refusal(path: string): StorageError {
  try {
    lockDirectory(path, me).release();
  } catch (error) {
    return error as StorageError;
  }
  throw new Error('the lock was given');
}

test('refuses a second holder and names the first', () => {
  const path = directory();
  const lock = lockDirectory(path, me);
  expect(lock.unenforced).toBeUndefined();
  lock.announce('127.0.0.1:5117');
  const error = refusal(path);
  expect(error).toBeInstanceOf(StorageError);
  expect(error.fault).toEqual({
    kind: 'locked',
    path,
    holder: { ...me, address: '127.0.0.1:5117' },
  });
  expect(error.message).toBe(
    `the storage directory ${path} is in use by process 42 on here since 2023-11-14T22:13:20.000Z, serving 127.0.0.1:5117`,
  );
  lock.release();
  expect(readHolder(path)).toBeUndefined();
  lockDirectory(path, me).release();
});

test('refuses also when the holder cannot be read', () => {
  const path = directory();
  const lock = lockDirectory(path, me);
  writeFileSync(join(path, 'holder.json'), '{"pid":');
  expect(refusal(path).fault).toEqual({ kind: 'locked', path, holder: undefined });
  lock.release();
});

test('ends with the process, however it ends', async () => {
  const path = directory();
  const source = join(import.meta.dir, '../../../src/storage/object/directory-lock.ts');
  const script = `
    const { lockDirectory } = await import(${JSON.stringify(source)});
    lockDirectory(${JSON.stringify(path)}, ${JSON.stringify(me)});
    console.log('locked');
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
  const { value } = await child.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe('locked\n');
  expect(refusal(path).fault.kind).toBe('locked');
  child.kill('SIGKILL');
  await child.exited;
  expect(readHolder(path)).toEqual({ ...me, address: '' });
  lockDirectory(path, me).release();
});
