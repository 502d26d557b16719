/** The tests of the Go client, written in Go: against a server that is started for them, and with a transport that fails as written down. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { type Server, serve } from '../served.ts';
import { type GoModule, go, goModule } from './support.ts';

const folder = join(import.meta.dir, 'client');
const faults = join(import.meta.dir, '../../clients/corpus/faults.json');

/** The names of the tests, as they stand in the files. */
const names = [...new Glob('*_test.go').scanSync({ cwd: folder })].sort().flatMap((file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  return [...text.matchAll(/^func (Test\w+)\(/gm)].map(([, name]) => name as string);
});

let made: GoModule | undefined;
let server: Server | undefined;
const results = new Map<string, string>();
let said = '';

beforeAll(async () => {
  if (go === undefined) return;
  made = goModule();
  cpSync(folder, join(made.folder, 'db'), { recursive: true });
  cpSync(faults, join(made.folder, 'db', 'faults.json'));
  server = await serve();
  const { all } = await made.run(['test', '-json', '-count=1', './db'], {
    SVC_TEST_URL: server.url,
  });
  said = all;
  for (const line of all.split('\n')) {
    if (!line.startsWith('{')) continue;
    const { Action, Test } = JSON.parse(line) as { Action: string; Test?: string };
    if (Test !== undefined && ['pass', 'fail', 'skip'].includes(Action)) results.set(Test, Action);
  }
}, 120_000);

afterAll(async () => {
  made?.[Symbol.dispose]();
  await server?.[Symbol.asyncDispose]();
});

/** What Go has printed about a test. */
function outputOf(name: string): string {
  const lines = said.split('\n').filter((line) => line.startsWith('{'));
  const found = lines.map((line) => JSON.parse(line) as { Test?: string; Output?: string });
  const own = found.filter(({ Test }) => Test === undefined || Test.split('/')[0] === name);
  return own.map(({ Output = '' }) => Output).join('') + said.replace(/^\{.*$/gm, '').trim();
}

test('there are tests', () => expect(names.length).toBeGreaterThan(15));

for (const name of names) {
  test.skipIf(go === undefined)(name, () => {
    if (results.get(name) !== 'pass') throw new Error(outputOf(name));
  });
}
