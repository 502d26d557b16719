/** The file of the audit log on a real file system. */

import { afterEach, expect, test } from 'bun:test';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RotatingFile } from '#authentication';
import { auditFiles } from '#server';

const directories: string[] = [];

function pathOf(): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-audit-'));
  directories.push(directory);
  return join(directory, 'audit.log');
}

afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

test('a new file can be read and written by its owner only', () => {
  const path = pathOf();
  const file = new RotatingFile(path, auditFiles);
  file.append('a\n');
  file.sync();
  file.close();
  expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8')]).toEqual([0o600, 'a\n']);
});

test('a file that exists is continued, also after an incomplete line', () => {
  const path = pathOf();
  writeFileSync(path, 'a\n{"b', { mode: 0o640 });
  const file = new RotatingFile(path, auditFiles);
  file.append('c\n');
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['a\n{"b\nc\n', 0o640]);
});

test('a full file is renamed, and its successor is private too', () => {
  const path = pathOf();
  const file = new RotatingFile(path, auditFiles, 4);
  file.append('one\n');
  file.append('two\n');
  expect(readdirSync(join(path, '..')).sort()).toEqual(['audit.log', 'audit.log.1']);
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('one\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a symbolic link is refused', () => {
  const path = pathOf();
  writeFileSync(`${path}.target`, '', { mode: 0o600 });
  symlinkSync(`${path}.target`, path);
  expect(() => new RotatingFile(path, auditFiles)).toThrow(/ELOOP/);
  expect(readFileSync(`${path}.target`, 'utf8')).toBe('');
});

test.each([0o604, 0o602])('a file that others can access is refused: %d', (mode) => {
  const path = pathOf();
  writeFileSync(path, '');
  chmodSync(path, mode);
  expect(() => new RotatingFile(path, auditFiles)).toThrow(/chmod 600/);
});

test('a directory and a pipe are refused, without waiting for a reader', () => {
  const path = pathOf();
  expect(() => new RotatingFile(join(path, '..'), auditFiles)).toThrow();
  expect(Bun.spawnSync(['mkfifo', '-m', '600', path]).exitCode).toBe(0);
  expect(() => new RotatingFile(path, auditFiles)).toThrow(/not a regular file/);
});
