/** Checks the rules of docs/architecture.md on the source: layers, imports, names and lengths. */

import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Glob } from 'bun';
import { unusedExports } from './architecture/exports.ts';
import { functionLengths } from './architecture/lengths.ts';
import { type Architecture, inspect } from './architecture/rules.ts';
import { importsOf, type SourceFile, scan } from './architecture/source.ts';

const architecture: Architecture = {
  layerOrder: [
    ['base'],
    ['value', 'failure', 'observe'],
    ['storage', 'lir'],
    ['catalog'],
    ['layout', 'access'],
    ['pir', 'statistics'],
    ['planner'],
    ['executor'],
    ['schema', 'transitions'],
    ['engine', 'sql'],
    ['wire', 'telemetry', 'relay', 'authentication'],
    ['client', 'codegen', 'http', 'postgres'],
    ['server', 'console'],
    ['operator'],
    ['cli'],
    ['main'],
  ],
  innerLayers: {
    storage: [
      ['object'],
      ['cache', 'object-cache', 'spill'],
      ['contract'],
      ['key', 'log'],
      ['cursor', 'batch'],
      ['memtable', 'manifest'],
      ['table'],
      ['columns'],
      ['version'],
      ['transaction', 'merge'],
      ['compaction', 'place'],
      ['maintenance'],
      ['local', 'bucket', 'reader'],
      ['assembly', 'check'],
    ],
    planner: [
      ['bind', 'order'],
      ['facts'],
      ['cost'],
      ['access', 'rewrite'],
      ['plan'],
      ['lower', 'explain'],
      ['program'],
    ],
  },
  forbidden: { planner: ['storage'] },
  confined: {
    wire: ['base', 'value', 'failure', 'lir', 'catalog', 'access', 'pir'],
    telemetry: ['base', 'observe'],
    relay: ['base', 'statistics'],
    sql: ['base', 'value', 'failure', 'lir', 'catalog', 'pir'],
    authentication: ['base', 'failure', 'observe', 'access'],
  },
  recursive: {
    'src/planner/bind':
      'a relation binds its inputs, an expression the relations that it crosses into',
    'src/sql/compile':
      'a query compiles its expressions, an expression the queries that it crosses into',
    'src/planner/lower': 'a relation lowers its inputs, and a crossing the relation inside',
  },
  ambient: [
    'base',
    'server',
    'clients/typescript/runtime/client/world.ts',
    'clients/typescript/runtime/testing.ts',
    'main.launch.ts',
  ],
  printing: ['cli'],
  // The runtime of clients is copied into applications, and has a rule of its own.
  fetching: ['base/routed-fetch.ts', 'clients/typescript'],
  projects: {
    'clients/go': ['codegen'],
    'clients/python': ['codegen'],
    'clients/typescript': ['codegen'],
  },
  launcher: 'src/main.launch.ts',
};

const root = join(import.meta.dir, '..');

async function sources(...patterns: readonly string[]): Promise<SourceFile[]> {
  const paths = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root })]);
  return Promise.all(
    paths.sort().map(async (path) => ({ path, text: await Bun.file(join(root, path)).text() })),
  );
}

const productPatterns = ['src/**/*.{ts,tsx}', 'clients/**/*.ts'];

test('the source keeps the rules of the architecture', async () => {
  expect(inspect(architecture, await sources(...productPatterns))).toEqual([]);
});

test('every exported name is imported by another file', async () => {
  const users = await sources('{tests,bench,deploy}/**/*.ts', 'build.ts');
  const found = unusedExports(await sources(...productPatterns), users);
  expect(found.map(({ path, line, specifier }) => `${path}:${line}: ${specifier}`)).toEqual([]);
});

test('no file is longer than 400 lines', async () => {
  const files = await sources('src/**/*.ts');
  const long = files.filter(({ text }) => text.split('\n').length - 1 > 400);
  expect(long.map(({ path }) => path)).toEqual([]);
});

test.each(['src', 'clients/typescript'])(
  'functions of %s are shorter than 40 lines, but for one in twenty, and none is longer than 80',
  async (folder) => {
    const paths = (await sources(`${folder}/**/*.ts`)).map(({ path }) => path);
    const functions = await functionLengths(
      root,
      paths.filter((path) => !path.endsWith('.d.ts')),
    );
    const short = functions.filter(({ lines }) => lines < 40);
    expect(short.length / functions.length).toBeGreaterThanOrEqual(0.95);
    const long = functions.filter(({ lines }) => lines > 80);
    expect(long).toEqual([]);
  },
);

test('the length of a function is counted from its first line to its last one', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-lengths-'));
  const body = 'const b = 1;\n'.repeat(3);
  const text = `// One\nfunction a() {\n${body}}\nclass C {\n  m() {\n${body}  }\n}\nconst f = () => 1;\n`;
  await Bun.write(join(directory, 'src/a.ts'), text);
  const found = await functionLengths(directory, ['src/a.ts']).finally(() =>
    rmSync(directory, { recursive: true }),
  );
  expect(found).toEqual([
    { place: 'src/a.ts:2 a', lines: 5 },
    { place: 'src/a.ts:8 m', lines: 5 },
    { place: 'src/a.ts:14', lines: 1 },
  ]);
});

test('no test waits for a promise from within an expectation: tests/support/outcome.ts says why', async () => {
  const waiting = /\)\s*\.(?:rejects|resolves)\s*\./;
  expect(waiting.test('expect(x).' + 'rejects.toThrow()')).toBe(true);
  const users = await sources('tests/**/*.ts');
  expect(users.filter(({ text }) => waiting.test(text)).map(({ path }) => path)).toEqual([]);
});

test('a file that scans a view outside of the executor lets the event loop run between entries', async () => {
  const files = await sources('src/**/*.ts');
  const scans = files.filter(
    ({ path, text }) => !path.startsWith('src/executor/') && /view\.scan\(/.test(text),
  );
  const waits = /view\.until\(|budget\.wait\(/;
  expect(scans.length).toBeGreaterThan(4);
  expect(scans.filter(({ text }) => !waits.test(text)).map(({ path }) => path)).toEqual([]);
});

test('no function acts for everyone unless its caller says so', async () => {
  const files = await sources('src/**/*.ts');
  const defaults = /(?<!const \w+): Principal = /;
  expect(defaults.test('principal: Principal = anyone')).toBe(true);
  expect(files.filter(({ text }) => defaults.test(text)).map(({ path }) => path)).toEqual([]);
});

test('package.json lists every entry point and nothing else', async () => {
  const { imports } = (await Bun.file(join(root, 'package.json')).json()) as {
    imports: Record<string, string>;
  };
  const entryPoints = await Array.fromAsync(new Glob('src/*/index.ts').scan({ cwd: root }));
  const modules = entryPoints.map((path) => path.split('/')[1]).sort();
  expect(Object.keys(imports).sort()).toEqual(modules.map((module) => `#${module}`));
  for (const module of modules) expect(imports[`#${module}`]).toBe(`./src/${module}/index.ts`);
});

describe('the checker detects', () => {
  const entryPoint = `/**\n * A module.\n *\n * Nouns.\n * Invariants.\n */\nexport {};\n`;
  const found = (path: string, text: string, ...others: SourceFile[]) =>
    inspect(architecture, [
      ...[...new Set([path, ...others.map((other) => other.path)].map((p) => p.split('/')[1]))]
        .filter((module) => module !== undefined && module !== 'main.ts')
        .map((module) => ({ path: `src/${module}/index.ts`, text: entryPoint }))
        .filter((file) => file.path !== path),
      { path, text },
      ...others,
    ]).map((violation) => violation.replace(/^src\/[^:]*(?::\d+)?: /, ''));

  const planted: readonly (readonly [what: string, path: string, text: string, message: string])[] =
    [
      [
        'an upward import',
        'src/lir/a.ts',
        `import { x } from '#planner';`,
        '"lir" imports "planner" upwards',
      ],
      [
        'an upward type import',
        'src/lir/a.ts',
        `import type { X } from '#planner';`,
        '"lir" imports "planner" upwards',
      ],
      [
        'an upward re-export',
        'src/lir/a.ts',
        `export * from '#planner';`,
        '"lir" imports "planner" upwards',
      ],
      [
        'an upward dynamic import',
        'src/lir/a.ts',
        `await import('#planner');`,
        '"lir" imports "planner" upwards',
      ],
      [
        'an import type upwards',
        'src/lir/a.ts',
        `type X = import("#planner").X;`,
        '"lir" imports "planner" upwards',
      ],
      [
        'a side-effect import upwards',
        'src/lir/a.ts',
        `import '#planner';`,
        '"lir" imports "planner" upwards',
      ],
      [
        'an import over several lines',
        'src/lir/a.ts',
        `import {\n  x,\n  type Y,\n} from\n  '#planner';`,
        '"lir" imports "planner" upwards',
      ],
      [
        'a sideways import',
        'src/lir/a.ts',
        `import { x } from '#storage';`,
        '"lir" imports "storage" sideways',
      ],
      [
        'an import of its own entry point',
        'src/lir/a.ts',
        `import { x } from '#lir';`,
        '"lir" imports "lir" sideways',
      ],
      [
        'a forbidden pair',
        'src/planner/bind/a.ts',
        `import { x } from '#storage';`,
        '"planner" must not import "storage"',
      ],
      [
        'a module outside the layer order',
        'src/lir/a.ts',
        `import { x } from '#attic';`,
        'import of "attic", which is not in the layer order',
      ],
      [
        'a deep import',
        'src/lir/a.ts',
        `import { x } from '#value/json/parse.ts';`,
        'deep import past the entry point of "value"',
      ],
      [
        'a path out of the module',
        'src/lir/a.ts',
        `import { x } from '../value/index.ts';`,
        'deep import past the entry point of "value"',
      ],
      [
        'a path out of src',
        'src/lir/a.ts',
        `import { x } from '../../tests/x.ts';`,
        'import of "../../tests/x.ts" from outside src',
      ],
      [
        'a path into a project',
        'src/lir/a.ts',
        `import { x } from '../../clients/typescript/x.ts';`,
        '"lir" imports from "clients/typescript"',
      ],
      ['a computed import', 'src/lir/a.ts', 'await import(name);', 'computed import'],
      [
        'a require',
        'src/lir/a.ts',
        `const x = require('#planner');`,
        '"lir" imports "planner" upwards',
      ],
      [
        'a comment that begins with a pronoun',
        'src/lir/a.ts',
        '/** Who waits. */',
        'a sentence begins with: Who',
      ],
      [
        'a sentence that does, on the next line',
        'src/lir/a.ts',
        '/**\n * The cache.\n * It grows. */',
        'a sentence begins with: It',
      ],
      ['a default export', 'src/lir/a.ts', 'export default 1;', 'default export: export default'],
      ['any', 'src/lir/a.ts', 'const x = y as any;', 'any: any'],
      ['any in brackets', 'src/lir/a.ts', 'const x: Map<string, any[]> = y;', 'any: any'],
      ['a suppression', 'src/lir/a.ts', '// @ts-ignore\nfoo();', 'suppressed: @ts-ignore'],
      ['the clock', 'src/lir/a.ts', 'const now = Date.now();', 'ambient: Date.now'],
      ['a bare date', 'src/lir/a.ts', 'const now = new Date();', 'ambient: new Date()'],
      ['a date of any text', 'src/cli/a.ts', 'Date.parse(text);', 'lenient: Date.parse'],
      ['chance', 'src/lir/a.ts', 'Math.random();', 'ambient: Math.random'],
      ['a timer', 'src/lir/a.ts', 'setTimeout(f, 1);', 'ambient: setTimeout'],
      ['a timer module', 'src/lir/a.ts', `import timers from 'node:timers';`, 'ambient timers'],
      ['the environment', 'src/lir/a.ts', 'process.env.HOME;', 'ambient: process.env'],
      ['printing', 'src/lir/a.ts', 'console.log(1);', 'console: console.'],
      ['a request past the routes', 'src/lir/a.ts', 'await fetch(url);', 'fetch: await fetch'],
      ['the fetch of the runtime', 'src/lir/a.ts', 'const f = g ?? fetch;', 'fetch: ?? fetch'],
      [
        'the fetch by its full name',
        'src/lir/a.ts',
        'f(globalThis.fetch);',
        'fetch: globalThis.fetch',
      ],
      [
        'printing in a template',
        'src/lir/a.ts',
        'const t = `a ${console.log({ b: `${1}` })} c`;',
        'console: console.',
      ],
      [
        'code after a regular expression',
        'src/lir/a.ts',
        `const r = /'[/"]/;\nconsole.log(1);`,
        'console: console.',
      ],
      ['an unknown module', 'src/attic/a.ts', 'export {};', 'not in the layer order'],
      [
        'an upward import within a module',
        'src/storage/log/a.ts',
        `import { x } from '../table/a.ts';`,
        '"log" imports "table" upwards',
      ],
      [
        'a binding that asks for facts',
        'src/planner/bind/a.ts',
        `import { x } from '../facts/a.ts';`,
        '"bind" imports "facts" upwards',
      ],
      [
        'a sideways import within a module',
        'src/storage/bucket/a.ts',
        `import type { x } from '../local/a.ts';`,
        '"bucket" imports "local" sideways',
      ],
      [
        'an import of the entry point from within',
        'src/storage/log/a.ts',
        `import { x } from '../index.ts';`,
        '"log" imports the entry point of its own module',
      ],
      [
        'a file outside the layers',
        'src/storage/a.ts',
        'export {};',
        'loose in a module that has layers',
      ],
      [
        'a folder in no layer',
        'src/storage/attic/a.ts',
        'export {};',
        '"attic" is in no layer of "storage"',
      ],
      [
        'an entry point without a comment',
        'src/lir/index.ts',
        'export {};',
        'header comment of 0 lines',
      ],
    ];
  for (const [what, path, text, message] of planted) {
    test(what, () => expect(found(path, text)).toEqual([message]));
  }

  test.each([
    [`import { x } from '#value';`, 'import of "#value"'],
    [`import { x } from '../../../src/value/index.ts';`, 'import of "../../../src/value/index.ts"'],
  ])('in a project: %s', (text, what) => {
    const files = [{ path: 'clients/typescript/runtime/a.ts', text }];
    const wrong = `clients/typescript/runtime/a.ts:1: ${what} from outside "clients/typescript"`;
    expect(inspect(architecture, files).slice(0, 1)).toEqual([wrong]);
    const own = [{ path: 'clients/typescript/runtime/a.ts', text: `import '../b.ts';` }];
    expect(inspect(architecture, own)).toEqual([]);
  });

  test('a module without an entry point', () => {
    const files = [{ path: 'src/lir/a.ts', text: 'export {};' }];
    expect(inspect(architecture, files)).toEqual(['src/lir: no index.ts']);
  });

  test('a cycle of files, even of types', () => {
    const files = [
      { path: 'src/lir/index.ts', text: entryPoint },
      { path: 'src/lir/a.ts', text: `import type { B } from './b.ts';` },
      { path: 'src/lir/b.ts', text: `import { c } from './c/c.ts';` },
      { path: 'src/lir/c/c.ts', text: `import { a } from '../a.ts';` },
    ];
    const cycle = 'src: cycle of files: src/lir/a.ts, src/lir/b.ts, src/lir/c/c.ts';
    expect(inspect(architecture, files)).toEqual([cycle]);
    const recursive = { 'src/lir': 'the example' };
    expect(inspect({ ...architecture, recursive }, files)).toEqual([cycle]);
    const inOne = files.map(({ path, text }) => ({
      path: path.replace('c/c', 'c'),
      text: text.replace('c/c', 'c').replace('../', './'),
    }));
    expect(inspect({ ...architecture, recursive }, inOne)).toEqual([]);
  });

  test.each([
    ['a constant', 'export const a = 1;', ''],
    ['a type', 'export interface a {}', `import { b } from '../src/lir/a.ts';`],
    [
      'a function',
      'export async function* a() {}',
      `import type * as x from '../src/lir/a.ts'; x.b;`,
    ],
    [
      'a name handed on',
      `export { b as a } from './b.ts';`,
      `import { a } from '../src/lir/b.ts';`,
    ],
  ])('an export without an import: %s', (_what, text, user) => {
    const users = [{ path: 'tests/x.test.ts', text: user }];
    const found = unusedExports([{ path: 'src/lir/a.ts', text }], users);
    expect(found).toEqual([{ path: 'src/lir/a.ts', line: 1, specifier: 'a' }]);
  });

  test('a cycle of modules, even of types', () => {
    const files = [
      { path: 'src/lir/index.ts', text: `${entryPoint}import type { V } from '#value';` },
      { path: 'src/value/index.ts', text: `${entryPoint}import type { A } from '#lir';` },
    ];
    expect(inspect(architecture, files)).toEqual([
      'src/value/index.ts:8: "value" imports "lir" upwards',
      'src: cycle of modules: lir > value > lir',
      'src: cycle of files: src/lir/index.ts, src/value/index.ts',
    ]);
  });
});

describe('the checker lets pass', () => {
  const clean = (path: string, text: string) => {
    const entryPoint = { path: `src/${path.split('/')[1]}/index.ts`, text: '/**\n *\n *\n *\n */' };
    return inspect(architecture, [entryPoint, { path, text }]);
  };

  const innocent: readonly (readonly [what: string, path: string, text: string])[] = [
    ['a downward import', 'src/planner/bind/a.ts', `import { x } from '#value';`],
    ['a downward import within a module', 'src/storage/log/a.ts', `import '../object/a.ts';`],
    ['packages', 'src/http/a.ts', `import { Elysia } from 'elysia';\nimport fs from 'node:fs';`],
    ['words in comments', 'src/lir/a.ts', `// console.log, any, Date.now\n/* import '#planner' */`],
    ['names in comments', 'src/lir/a.ts', '// The cache: it grows. Itself, who knows? Items.'],
    ['pronouns in texts', 'src/lir/a.ts', `const x = 'Fine. It works.';`],
    ['words in texts', 'src/lir/a.ts', `const x = 'any console.log() import("#planner")';`],
    ['words in templates', 'src/lir/a.ts', 'const x = `any ${y} Date.now()`;'],
    ['any as a name', 'src/lir/a.ts', 'Promise.any([]); const any = { any: 1 }; any_many();'],
    ['the clock in base', 'src/base/a.ts', 'Date.now();'],
    ['printing in cli', 'src/cli/a.ts', 'console.log(1);'],
    ['a method of that name', 'src/lir/a.ts', 'await this.fetch(part); const fetch = (a) => a;'],
    ['a date of something', 'src/lir/a.ts', 'new Date(ms);'],
    ['a division', 'src/lir/a.ts', 'const x = a / b; const y = c / d;'],
    ['a text of a project', 'src/codegen/a.ts', `import x from '../../clients/go/x.go';`],
    ['package.json', 'src/cli/a.ts', `import { version } from '../../package.json';`],
  ];
  test.each([
    `import { type a, b } from '../src/lir/a.ts';`,
    `import { a as c } from '#lir';`,
    `export { a } from '../src/lir/a.ts';`,
    `import * as x from '../src/lir/a.ts'; x.a();`,
    `const { a } = await import('../src/lir/a.ts');`,
    `type A = import('../src/lir/a.ts').a;`,
  ])('what is taken by %s', (text) => {
    const files = [
      { path: 'src/lir/a.ts', text: 'export const a = 1;' },
      { path: 'src/lir/index.ts', text: `export { a } from './a.ts';` },
    ];
    const users = [
      { path: 'tests/x.test.ts', text },
      { path: 'build.ts', text: `import { a } from '#lir';` },
    ];
    expect(unusedExports(files, users)).toEqual([]);
  });
  for (const [what, path, text] of innocent) {
    test(what, () => expect(clean(path, text)).toEqual([]));
  }
});

test('import lines are read with their line', () => {
  const text = [
    `export const first = 1`,
    `import { a, type B } from './a.ts'`,
    `import type { C } from './c.ts'`,
    `import { type D,`,
    `  type E } from './d.ts';`,
    `export type { F } from './f.ts';`,
  ].join('\n');
  expect(importsOf(scan(text))).toEqual([
    { specifier: './a.ts', line: 2 },
    { specifier: './c.ts', line: 3 },
    { specifier: './d.ts', line: 5 },
    { specifier: './f.ts', line: 6 },
  ]);
});
