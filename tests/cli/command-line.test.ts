/** The command line before its command reads it. */

import { expect, test } from 'bun:test';
import { readCommandLine } from '../../src/cli/frame/command-line.ts';
import { commandTree } from '../../src/cli/main.ts';
import { shellFor } from './within.ts';

const read = (...argv: string[]) =>
  readCommandLine(
    commandTree(shellFor().shell, () => {}),
    argv,
  );

test('flags between the words of a command are those of the command', () => {
  expect(read('schema', '--env', 'staging', 'status', '-f', 'x')).toEqual({
    argv: ['schema', 'status', '--env', 'staging', '-f', 'x'],
    path: 'svc schema status',
  });
  expect(read('schema', '--env', 'status', 'status').argv).toEqual([
    'schema',
    'status',
    '--env',
    'status',
  ]);
  expect(read('--version', 'schema', 'status').argv).toEqual(['--version', 'schema', 'status']);
});

test('global flags may be anywhere, and no command sees them', () => {
  for (const words of [
    ['--json', 'schema', 'status', '-f', 'x'],
    ['schema', '--json', 'status', '--non-interactive', '-f', 'x'],
    ['schema', 'status', '-f', 'x', '--output', 'json'],
    ['--output=text', 'schema', '--non-interactive', 'status', '-f', 'x', '--json'],
  ]) {
    expect(read(...words)).toEqual({
      argv: ['schema', 'status', '-f', 'x'],
      path: 'svc schema status',
    });
  }
  // Behind -- all words are arguments.
  expect(read('validate', '--json', '--', '--json', '--output')).toEqual({
    argv: ['validate', '--', '--json', '--output'],
    path: 'svc validate',
  });
  const expected = 'expected one of text, json';
  expect(() => read('schema', 'status', '--output', 'yaml')).toThrow(
    `--output is "yaml": ${expected}`,
  );
  expect(() => read('--output=', 'schema', 'status')).toThrow(`--output is "": ${expected}`);
  expect(() => read('schema', 'status', '--output')).toThrow(`--output needs a value: ${expected}`);
});

test('a leading help asks for the help of the command', () => {
  expect(read('help', 'schema', '--json', 'status')).toEqual({
    argv: ['schema', 'status', '--help'],
    path: 'svc schema status',
  });
  expect(read('help')).toEqual({ argv: ['--help'], path: 'svc' });
});

test('a command of a group is found without the group', () => {
  expect(() => read('migrate')).toThrow(
    "unknown command 'migrate' of svc. Did you mean schema migrate?",
  );
  expect(() => read('schema', 'wait')).toThrow('Did you mean transitions wait?');
});

test('a command that stands elsewhere is named from there', () => {
  const message = "unknown command 'validate' of svc schema. Did you mean svc validate?";
  expect(() => read('schema', 'validate')).toThrow(message);
  expect(() => read('doctor', 'migrate')).toThrow('Did you mean svc schema migrate?');
});

test('help in front of a command asks for its help', () => {
  expect(read('help', 'schema', 'diff')).toEqual({
    argv: ['schema', 'diff', '--help'],
    path: 'svc schema diff',
  });
  expect(read('help')).toEqual({ argv: ['--help'], path: 'svc' });
});

test('an empty argument is a mistake, and an empty value of a flag the flag’s own matter', () => {
  expect(() => read('validate', '')).toThrow('an argument is empty');
  expect(() => read('init', '--yes', '')).toThrow('an argument is empty');
  const flag = ['serve', '--s3-prefix', ''];
  expect(read(...flag).argv).toEqual(flag);
});
