/** Files that commands write: where links lead, where nothing may be written, and one beside the other. */

import { expect, test } from 'bun:test';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StorageError } from '#storage';
import { CommandFailure } from '../../src/cli/frame/command-failure.ts';
import { troubleOf } from '../../src/cli/frame/trouble.ts';
import { readConfig } from '../../src/cli/project/config.ts';
import { StateDirectory } from '../../src/cli/project/state-directory.ts';
import { createWhole, writeWhole } from '../../src/cli/project/write-file.ts';
import { newDirectory } from './within.ts';

function failureOf(action: () => unknown): CommandFailure['facts'] {
  try {
    action();
  } catch (error) {
    if (error instanceof CommandFailure) return error.facts;
    throw error;
  }
  throw new Error('expected a failure');
}

test('a link stays a link: what it leads to is written', () => {
  const root = newDirectory();
  const [real, link] = [join(root, 'real.yaml'), join(root, 'link.yaml')];
  writeFileSync(real, 'old');
  symlinkSync('real.yaml', link);
  writeWhole(link, 'new');
  expect([lstatSync(link).isSymbolicLink(), readFileSync(real, 'utf8')]).toEqual([true, 'new']);
  expect(readdirSync(root)).toHaveLength(2);
});

test('what cannot be written is named, in words', () => {
  const root = newDirectory();
  writeFileSync(join(root, 'file'), '');
  const path = join(root, 'file', 'below');
  for (const write of [writeWhole, createWhole]) {
    const { code, message } = failureOf(() => write(path, 'text'));
    expect([code, message]).toEqual([
      'file_unwritable',
      `${path} cannot be written: something on the way is no directory`,
    ]);
  }
});

test('backups of one second stand beside each other', () => {
  const root = newDirectory();
  const state = new StateDirectory(root);
  const paths = ['a', 'b', 'c'].map((text) => state.backUp(text, 0));
  expect(paths.map((path) => readFileSync(join(root, path), 'utf8'))).toEqual(['a', 'b', 'c']);
  expect(readdirSync(dirname(join(root, paths[0] as string)))).toHaveLength(3);
});

test('an alias in the configuration is refused in words', () => {
  const root = newDirectory();
  mkdirSync(root, { recursive: true });
  const path = join(root, 'svc.config.yaml');
  writeFileSync(path, 'environments: { a: &a { database_url: "svc://h" }, b: *a }\n');
  expect(failureOf(() => readConfig(path)).message).toContain('YAML aliases are not allowed');
});

test('a store whose directory is a file is refused in words', () => {
  const cause = Object.assign(new Error('EEXIST: file already exists, mkdir'), { code: 'EEXIST' });
  const error = new StorageError({ kind: 'io', operation: 'open', object: 'data' }, cause);
  expect(troubleOf(error)?.message).toBe('open data failed: something on the way is no directory');
});
