/** The examples of docs/clients/typescript.md: each compiles, and what it asserts is so. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from '../../support/program.ts';
import { begin, end } from './specimen.ts';

const root = join(import.meta.dir, '..', '..', '..');
const page = readFileSync(join(root, 'docs/clients/typescript.md'), 'utf8');
const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ index, 1: text = '' }) => ({
  line: page.slice(0, index).split('\n').length,
  text,
}));
const modules: Readonly<Record<string, string>> = {
  './db.gen': join(import.meta.dir, 'specimen.ts'),
  './svc-runtime.gen': join(root, 'clients/typescript/runtime/index.ts'),
  './svc-testing.gen': join(root, 'clients/typescript/runtime/testing.ts'),
};

let folder = '';
const pathOf = (line: number) => join(folder, `line-${line}.ts`);
const cwd = process.cwd();
const binary = process.env['SVC_BIN'];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-page-'));
  for (const { line, text } of examples) writeFileSync(pathOf(line), moduleOf(text));
  const own = {
    compilerOptions: { types: ['bun-types'], typeRoots: [join(root, 'node_modules')] },
  };
  const config = {
    extends: join(root, 'tsconfig.json'),
    ...own,
    include: ['*.ts', join(root, 'src/**/*.d.ts')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const svc = join(folder, 'bin', 'svc');
  mkdirSync(join(folder, 'bin'));
  const command = program.map((part) => `"${part}"`).join(' ');
  writeFileSync(svc, `#!/bin/sh\nexec ${command} "$@"\n`);
  chmodSync(svc, 0o755);
  const columns =
    '      - { id: 1, name: id, type: int64, pk: true }\n      - { id: 2, name: text, type: text }\n';
  const schema = `tables:\n  - id: 1\n    name: notes\n    columns:\n${columns}`;
  writeFileSync(join(folder, 'svc.schema.yaml'), schema);
  process.env['SVC_BIN'] = svc;
  process.chdir(folder);
});

afterAll(async () => {
  await end();
  process.chdir(cwd);
  if (binary === undefined) delete process.env['SVC_BIN'];
  else process.env['SVC_BIN'] = binary;
  rmSync(folder, { recursive: true });
});

/** An example as a module by itself, with its imports where they lie here, and assertions that throw. */
function moduleOf(text: string): string {
  const here = text.replace(/from '(\.\/[\w.-]+)'/g, (_, name: string) => {
    const path = modules[name];
    if (path === undefined) throw new Error(`an example imports ${name}`);
    return `from ${JSON.stringify(path)}`;
  });
  return here
    .replaceAll('console.assert(', 'assert(')
    .concat(
      "\nfunction assert(holds: boolean | undefined): void {\n  if (!holds) throw new Error('an assertion of the page does not hold');\n}\nvoid assert;\nexport {};\n",
    );
}

test('all examples compile', async () => {
  expect(examples.length).toBeGreaterThan(10);
  const compiler = join(root, 'node_modules/.bin/tsc');
  const child = Bun.spawn([compiler, '--noEmit', '-p', folder], { stdout: 'pipe', cwd: root });
  expect(await new Response(child.stdout).text()).toBe('');
  expect(await child.exited).toBe(0);
});

describe('an example runs', () => {
  for (const { line } of examples) {
    test(`line ${line}`, async () => {
      await begin();
      await import(pathOf(line));
    });
  }
});

test('the table of classes has all of them', async () => {
  const text = readFileSync(join(root, 'clients/typescript/runtime/client/errors.ts'), 'utf8');
  const classes = [...text.matchAll(/export class (\w+)/g)].map(([, name = '']) => name);
  expect(classes.length).toBeGreaterThan(15);
  expect(classes.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('the table of options has all of them', () => {
  const text = readFileSync(join(root, 'clients/typescript/runtime/client/options.ts'), 'utf8');
  const [, options = ''] = text.split('export interface ClientOptions');
  const names = [...options.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(15);
  expect(
    names.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${name}.`)),
  ).toEqual([]);
});
