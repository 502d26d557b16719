/** The tests of the Python client, written in Python: against a server that is started for them, and with a transport that fails as written down. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Server, serve } from '../served.ts';
import { type PythonFolder, python, pythonFolder } from './support.ts';

const files = ['live.py', 'faults.py', 'fault_corpus.py', 'transport.py'];
const faults = join(import.meta.dir, '../../clients/corpus/faults.json');

const names = files.flatMap((file) => {
  const text = readFileSync(join(import.meta.dir, 'client', file), 'utf8');
  return [...text.matchAll(/^(?:async )?def (check_\w+)\(/gm)].map(([, name]) => name as string);
});

let folder: PythonFolder | undefined;
let server: Server | undefined;
let said = '';

beforeAll(async () => {
  if (python === undefined) return;
  folder = pythonFolder('client');
  cpSync(faults, join(folder.path, 'faults.json'));
  server = await serve();
  for (const file of files) said += (await folder.run([file, server.url])).all;
}, 120_000);

afterAll(async () => {
  folder?.[Symbol.dispose]();
  await server?.[Symbol.asyncDispose]();
});

test('there are checks', () => expect(names.length).toBeGreaterThan(15));

for (const name of names) {
  test.skipIf(python === undefined)(name.slice('check_'.length).replaceAll('_', ' '), () => {
    if (said.split('\n').includes(`passed ${name}`)) return;
    const [own] = said.split(`FAILED ${name}\n`).slice(1);
    throw new Error(own?.split(/^(?:passed|FAILED) check_/m)[0] ?? said);
  });
}
