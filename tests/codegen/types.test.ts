/** Types of the TypeScript client: what is inferred, what must not compile, and what it costs the compiler. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vendoredRuntime } from '../../src/codegen/typescript/runtime-text.ts';
import { wrongQueries } from './types/messages.ts';

const root = join(import.meta.dir, '..', '..');
const runtime = join(root, 'clients/typescript/runtime/index.ts');
const specimen = join(root, 'tests/codegen/specimen/db.ts');
const types = join(import.meta.dir, 'types');
const folder = mkdtempSync(join(tmpdir(), 'svc-types-'));
afterAll(() => rmSync(folder, { recursive: true }));

const compilerOptions = {
  ...{ target: 'es2022', lib: ['es2022', 'dom'], types: [], module: 'esnext' },
  ...{ moduleResolution: 'bundler', noEmit: true, allowImportingTsExtensions: true },
  ...{ skipLibCheck: true, strict: true, noUncheckedIndexedAccess: true },
};

/** What the compiler says of these files, and how many types it instantiated. */
async function compile(name: string, files: readonly string[]) {
  const config = join(folder, `${name}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, 'node_modules/.bin/tsc');
  const child = Bun.spawn([tsc, '-p', config, '--extendedDiagnostics'], { stdout: 'pipe' });
  const text = await new Response(child.stdout).text();
  await child.exited;
  const instantiations = Number(/Instantiations:\s+(\d+)/.exec(text)?.[1]);
  // Each with the lines that explain it, which are indented.
  return { errors: text.match(/^.*error TS.*(?:\n +.*)*/gm) ?? [], instantiations };
}

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

test('types are inferred, and what must not compile does not', async () => {
  const files = ['results.ts', 'errors.ts'].map((name) => join(types, name));
  const [results, errors] = files.map((file) => readFileSync(file, 'utf8')) as [string, string];
  const asserted = results.match(/^\s*(is|holds)</gm)?.length ?? 0;
  const refused = errors.match(/@ts-expect-error: /g)?.length ?? 0;
  expect(refused).toBeGreaterThanOrEqual(60);
  expect(asserted + refused).toBeGreaterThanOrEqual(190);
  const head = `import { sum } from ${JSON.stringify(runtime)};\nimport { t } from ${JSON.stringify(specimen)};\n`;
  const lines = wrongQueries.map(({ code }) => `${code};\n`).join('');
  const messages = write('messages.ts', head + lines);
  // Without the strictness of this repository, as in applications.
  const told = (await compile('types', [...files, messages])).errors;
  const ours = told.filter((error) => /^[^(]*messages\.ts\(/.test(error));
  expect(told.filter((error) => !ours.includes(error))).toEqual([]);
  // Each wrong query has one message, at the place in question, that names what is wrong and what is known instead.
  const found = ours.map((error) => {
    const [, line, column] = /\((\d+),(\d+)\)/.exec(error) ?? [];
    const { code = '', points = '', names = [] } = wrongQueries[Number(line) - 3] ?? {};
    const at = code.slice(Number(column) - 1);
    return {
      code,
      points: at.startsWith(points) ? points : at,
      unnamed: names.filter((name) => !error.includes(name)),
    };
  });
  expect(found).toEqual(wrongQueries.map(({ code, points }) => ({ code, points, unnamed: [] })));
});

test('one query costs the compiler little', async () => {
  const imports = `import { connect, t } from ${JSON.stringify(specimen)};\nconst db = connect({ url: 'x' });\n`;
  const none = await compile('none', [write('none.ts', `${imports}void [db, t];\n`)]);
  const one = await compile('one', [write('one.ts', imports + oneQuery)]);
  expect([...none.errors, ...one.errors]).toEqual([]);
  expect(one.instantiations).toBeGreaterThan(none.instantiations);
  expect(one.instantiations - none.instantiations).toBeLessThan(400);
});

test('the runtime as it is generated costs the compiler of an application its declarations alone', async () => {
  const files = vendoredRuntime('ts', '.ts');
  const generated = write('svc-runtime.gen.ts', files['svc-runtime.gen.ts'] as string);
  const module = readFileSync(specimen, 'utf8').replaceAll(
    '../../../clients/typescript/runtime/index.ts',
    './svc-runtime.gen.ts',
  );
  write('db.gen.ts', module);
  const imports = `import { connect, t } from './db.gen.ts';\nconst db = connect({ url: 'x' });\n`;
  const application = write('application.ts', imports + oneQuery);
  const { errors, instantiations } = await compile('application', [application]);
  expect(errors).toEqual([]);
  expect(instantiations).toBeGreaterThan(300);
  expect(instantiations).toBeLessThan(2_000);
  // The mark does not hide what is wrong in an application.
  const wrong = write(
    'wrong.ts',
    `${imports}void db.run(t.posts.where((p) => p.score.gt('1')));\n`,
  );
  const told = (await compile('wrong', [wrong])).errors;
  expect(told.map((error) => error.includes('wrong.ts'))).toEqual([true]);
  // As a compiler told to check everything has it: the text is right, the mark alone makes it cheap.
  write('svc-runtime.gen.ts', readFileSync(generated, 'utf8').replace('@ts-nocheck', ''));
  const checked = await compile('checked', [application]);
  expect(checked.errors).toEqual([]);
  expect(checked.instantiations).toBeGreaterThan(5 * instantiations);
});

const oneQuery =
  'export const rows = await db.run(t.posts.where((p) => p.score.gt(1)).select((p, r) => ({ id: p.id, by: r.author, n: r.comments.count() })));\nexport const id: number | undefined = rows[0]?.by.id;\n';

test('a large schema and many queries stay within bounds', async () => {
  const schema = write('large.ts', largeModule(100, 15, 3));
  const path = JSON.stringify(schema);
  const queries = Array.from({ length: 400 }, (_, i) => queryOf(i)).join('\n');
  const text = `import { count, sum, type Client } from ${JSON.stringify(runtime)};\nimport { t } from ${path};\nexport async function all(db: Client): Promise<void> {\n${queries}\n}\n`;
  const { errors, instantiations } = await compile('large', [write('queries.ts', text)]);
  expect(errors).toEqual([]);
  expect(instantiations).toBeGreaterThan(20_000);
  expect(instantiations).toBeLessThan(120_000);
});

const kinds = [
  ['Int<bigint>', 'bigint', 'bigint | number'],
  ['Text', 'string', 'string'],
  ['Float<number | null>', 'number | null', 'number | null'],
  ['Bool', 'boolean', 'boolean'],
  ['Bytes<string>', 'string', 'string'],
] as const;

/** A module as it is generated: `tables` of `columns`, each with keys to the tables behind it, and back. */
function largeModule(tables: number, columns: number, keys: number): string {
  const one = (i: number) => {
    const all = Array.from(
      { length: columns - 1 },
      (_, c) => [`c${c}`, kinds[c % kinds.length]!] as const,
    );
    const lines = (at: 0 | 1 | 2, mark: string) =>
      all.map(([name, kind]) => `  ${name}${mark}: ${kind[at]};`).join('\n');
    const others = Array.from({ length: keys }, (_, k) => (i + k + 1) % tables);
    const back = Array.from({ length: keys }, (_, k) => (i - k - 1 + tables) % tables);
    return `export interface T${i} {\n  id: number;\n${lines(1, '')}\n}
export interface T${i}New {\n  id?: number | bigint | undefined;\n${lines(2, '')}\n}
export interface T${i}Patch {\n${lines(2, '?')}\n}
export interface T${i}Cols {\n  readonly id: Int<number>;\n${lines(0, '')}\n}
export interface T${i}Rels {
${others.map((to, k) => `  one${k}: One<T${to}, T${to}, [T${to}Cols], [T${to}Rels]>;`).join('\n')}
${back.map((to, k) => `  many${k}: Query<T${to}, [T${to}Cols], [T${to}Rels]>;`).join('\n')}\n}`;
  };
  const names = Array.from({ length: tables }, (_, i) => i);
  const members = names.map(
    (i) =>
      `  t${i}: Table<T${i}, T${i}New, T${i}Patch, T${i}Cols, T${i}Rels, { readonly id: number | bigint }>;`,
  );
  return `import { tablesOf, type Bool, type Bytes, type Float, type Int, type One, type Query, type Table, type Text } from ${JSON.stringify(runtime)};
${names.map(one).join('\n')}
export interface Tables {\n${members.join('\n')}\n}
export const t = tablesOf([]) as unknown as Tables;\n`;
}

function queryOf(i: number): string {
  const own = `t.t${i % 100}`;
  const queries = [
    `${own}.where((p) => p.c0.gt(1).and(p.c1.eq('x'))).orderBy((p) => p.c0.desc()).limit(3)`,
    `${own}.select((p, r) => ({ ...p, one: r.one0.select((u) => ({ id: u.id, c1: u.c1 })), n: r.many0.count() }))`,
    `${own}.join(t.t${(i + 1) % 100}, (a, b) => a.id.eq(b.id)).select((a, b) => ({ a: a.c0, b: b.c1 }))`,
    `${own}.group((p) => ({ k: p.c1 }), (p) => ({ n: count(), s: sum(p.c0) }))`,
  ];
  return `  const q${i} = await db.run(${queries[Math.floor(i / 100)]});\n  void q${i};`;
}
