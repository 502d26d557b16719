/** The examples of docs/clients/typescript-queries.md and coming-from.md: each compiles, with the types that it shows, and what it asserts is so. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { begin, end } from './queries-specimen.ts';

const root = join(import.meta.dir, '..', '..');
const pageOf = (name: string) => readFileSync(join(root, `docs/clients/${name}.md`), 'utf8');
const examples = ['typescript-queries', 'coming-from'].flatMap((name) => {
  const page = pageOf(name);
  return [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ index, 1: text = '' }) => ({
    line: `${name}-${page.slice(0, index).split('\n').length}`,
    text,
  }));
});
const modules: Readonly<Record<string, string>> = {
  './db.gen': join(import.meta.dir, 'queries-specimen.ts'),
  './svc-runtime.gen': join(root, 'clients/typescript/runtime/index.ts'),
};

let folder = '';
const pathOf = (line: string) => join(folder, `line-${line}.ts`);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-queries-'));
  for (const { line, text } of examples) writeFileSync(pathOf(line), moduleOf(text));
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { types: ['bun-types'], typeRoots: [join(root, 'node_modules')] },
    include: ['*.ts', join(root, 'src/**/*.d.ts')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
});

afterAll(async () => {
  await end();
  rmSync(folder, { recursive: true });
});

/** An example as a module by itself, with its imports where they lie here, and assertions that throw. */
function moduleOf(text: string): string {
  const here = text.replace(/from '(\.\/[\w.-]+)'/g, (_, name: string) => {
    const path = modules[name];
    if (path === undefined) throw new Error(`an example imports ${name}`);
    return `from ${JSON.stringify(path)}`;
  });
  const assert =
    "function assert(holds: boolean): void {\n  if (!holds) throw new Error('an assertion of the page does not hold');\n}\n";
  return `${here.replaceAll('console.assert(', 'assert(')}\n${assert}void assert;\nexport {};\n`;
}

test('all examples compile', async () => {
  expect(examples.length).toBeGreaterThan(7);
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

test('the table of members has all of them', () => {
  const text = readFileSync(join(root, 'clients/typescript/runtime/query/types.ts'), 'utf8');
  const own = [...text.matchAll(/^ {2}(?:readonly )?(\w+)(?:<[^>]*>)?(?:\(|: (?:Compare|With))/gm)];
  const names = [...new Set(own.map(([, name = '']) => name))];
  expect(names.length).toBeGreaterThan(50);
  const page = pageOf('typescript-queries');
  const isTold = (name: string) => new RegExp(`\\b${name}\\b`).test(page);
  expect(names.filter((name) => !isTold(name))).toEqual([]);
});
