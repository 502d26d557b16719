/** The directory of the operating system: whether a name still leads to what was opened. */

import { afterAll, expect, test } from 'bun:test';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IoFile } from '../../../src/storage/object/directory-io.ts';
import { systemDirectory } from '../../../src/storage/object/system-directory.ts';
import { rejection } from '../../support/outcome.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-system-directory-'));
afterAll(() => rmSync(root, { recursive: true }));

test.each([
  ['nothing happens', () => {}, true],
  ['it grows', (path: string) => appendFileSync(path, 'more'), true],
  ['it is cut', (path: string) => truncateSync(path, 99), false],
  ['it is emptied', (path: string) => truncateSync(path, 0), false],
  ['it is deleted', (path: string) => rmSync(path), false],
  ['it is moved', (path: string) => renameSync(path, `${path}.moved`), false],
  [
    'another one has its name',
    (path: string) => {
      writeFileSync(`${path}.other`, 'x'.repeat(100));
      renameSync(`${path}.other`, path);
    },
    false,
  ],
] as const)('%s', (what, change, isThere) => {
  const name = what.replaceAll(' ', '-');
  const path = join(root, name);
  writeFileSync(path, 'x'.repeat(100));
  const file = systemDirectory(root).open(name, 'log') as IoFile;
  expect(file.isAt(name)).toBe(true);
  change(path);
  expect(file.isAt(name)).toBe(isThere);
  file.close();
  expect(file.isAt(name)).toBe(isThere);
});

test('a discarded file is closed in the background, and announced when it is', async () => {
  const directory = systemDirectory(root);
  const file = directory.open('discarded', 'create') as IoFile;
  directory.unlink('discarded');
  expect(openFiles()).toContain(`${root}/discarded (deleted)`);
  const { promise, resolve } = Promise.withResolvers<void>();
  let isClosed = false;
  file.discard(() => {
    isClosed = true;
    resolve();
  });
  expect(isClosed).toBe(false);
  await promise;
  expect(openFiles()).not.toContain(`${root}/discarded (deleted)`);
});

test('a name is removed in the background, once', async () => {
  const directory = systemDirectory(root);
  writeFileSync(join(root, 'removed'), 'x');
  const removed = directory.remove('removed');
  expect(await removed).toBe(true);
  expect(readdirSync(root)).not.toContain('removed');
  expect(await directory.remove('removed')).toBe(false);
  mkdirSync(join(root, 'a directory'));
  expect(await rejection(directory.remove('a directory'))).toBeInstanceOf(Error);
});

function openFiles(): readonly (string | undefined)[] {
  return readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return undefined;
    }
  });
}
