/** What the compiler of Go takes of the generated client, and what not. */

import { expect, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { go, goModule } from './support.ts';

const wanted = readFileSync(join(import.meta.dir, 'types', 'bad.go'), 'utf8')
  .split('\n')
  .flatMap((line, i) => {
    const [, text] = /\/\/ want "(.*)"$/.exec(line) ?? [];
    return text === undefined ? [] : [{ line: i + 1, text, code: line.trim() }];
  });

test('there are cases', () => expect(wanted.length).toBeGreaterThanOrEqual(60));

test.skipIf(go === undefined)(
  'what is right compiles, and each wrong line is an error of its own',
  async () => {
    using made = goModule('types');
    const { all } = await made.run(['build', '-gcflags=-e', './types']);
    const found = new Map<number, string>();
    const elsewhere: string[] = [];
    for (const line of all.split('\n')) {
      const [, file, at, message] = /^(?:\.\/)?types\/(\w+)\.go:(\d+):\d+: (.*)$/.exec(line) ?? [];
      if (file === 'bad') found.set(Number(at), message as string);
      else if (file !== undefined) elsewhere.push(line);
    }
    expect(elsewhere).toEqual([]);
    const wrong = wanted.filter(({ line, text }) => found.get(line)?.includes(text) !== true);
    expect(wrong.map((one) => ({ ...one, found: found.get(one.line) }))).toEqual([]);
    expect([...found.keys()].filter((at) => !wanted.some(({ line }) => line === at))).toEqual([]);
    rmSync(join(made.folder, 'types', 'bad.go'));
    expect(await made.run(['vet', './types'])).toMatchObject({ status: 0, all: '' });
  },
  60_000,
);
