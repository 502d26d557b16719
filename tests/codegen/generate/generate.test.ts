/** Clients in TypeScript as `svc generate` writes them, compared with files that somebody has read. */

import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GeneratedFile, generatedMark, TargetError } from '#codegen';
import { joinModules } from '../../../clients/typescript/build/join-modules.ts';
import { vendoredSources } from '../../../clients/typescript/build/vendored-sources.ts';
import { compile } from '../../../clients/typescript/runtime/index.ts';
import { filesOf, textOf } from './files.ts';
import { goldens } from './schemas.ts';
import { moduleOf, specimenPath, specimenText } from './specimen.ts';

const root = join(import.meta.dir, '..', '..', '..');
const project = join(root, 'clients/typescript');

const folder = mkdtempSync(join(tmpdir(), 'svc-generate-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('golden files (`bun run tests/codegen/generate/write-goldens.ts` writes them)', () => {
  for (const golden of goldens) {
    test(golden.name, () => {
      const path = join(import.meta.dir, 'golden', `${golden.name}.gen.ts`);
      expect(moduleOf(golden, '../../../../')).toBe(readFileSync(path, 'utf8'));
    });
  }

  test('the specimen of the builder', () => {
    expect(specimenText()).toBe(readFileSync(specimenPath, 'utf8'));
  });
});

describe('the vendored runtime (`bun run build.ts --schemas` writes it)', () => {
  const sources = vendoredSources((path) => readFileSync(join(project, 'runtime', path), 'utf8'));
  const kept = (name: string) => readFileSync(join(project, 'vendored', `${name}.txt`), 'utf8');
  const script = (text: string) =>
    new Bun.Transpiler({ loader: 'ts', minifyWhitespace: true }).transformSync(text);

  for (const name of ['svc-runtime', 'svc-testing']) {
    test(`${name} is that of the source`, () => {
      const source = sources[`${name}.gen.ts`] as string;
      expect(kept(`${name}.ts`) === source).toBe(true);
      expect(script(kept(`${name}.js`)) === script(source)).toBe(true);
    });
  }

  test('modules that are joined share no name', () => {
    const read = (other: string) => (path: string) =>
      path === 'index.ts'
        ? `export * from './a.ts';\nexport { second } from './b.ts';\n`
        : path === 'a.ts'
          ? 'export type first = 1;\nexport const first = 1;\n'
          : `${other}\nexport function second() {}\n`;
    expect(joinModules('index.ts', read('const third = 3;'))).toContain('const third = 3;');
    for (const other of ['const first = 2;', 'function first() {}', 'interface first {}'])
      expect(() => joinModules('index.ts', read(other))).toThrow(
        'a.ts and b.ts both declare first: rename one',
      );
  });

  test('has no import but that of the runtime', () => {
    const imports = Object.values(sources).flatMap((text) => text.match(/^import .*/gm) ?? []);
    expect(imports).toEqual([`import type { ClientOptions, Fetch } from './svc-runtime.gen.js';`]);
  });
});

describe('files', () => {
  const schema = goldens[0]?.schema as string;
  const names = (target: string) => filesOf(schema, target).map(({ path }) => path);

  test('of TypeScript, and of JavaScript with its types', () => {
    expect(names('- {language: typescript, output: db}')).toEqual([
      'db.gen.ts',
      'svc-runtime.gen.ts',
      'svc-testing.gen.ts',
    ]);
    expect(names('- {language: typescript, output: db, emit: js}')).toEqual([
      'db.gen.js',
      'db.gen.d.ts',
      'svc-runtime.gen.js',
      'svc-runtime.gen.d.ts',
      'svc-testing.gen.js',
      'svc-testing.gen.d.ts',
    ]);
  });

  test('all say that they are generated, the module of which schema, and nothing of the machine', () => {
    for (const target of ['{language: typescript, output: db}', '{language: go, output: db}']) {
      for (const { path, text } of filesOf(schema, `- ${target}`)) {
        const [mark, origin] = text.split('\n');
        expect(mark).toBe(`// ${generatedMark}`);
        const isModule = !/runtime|testing/.test(path);
        const version = isModule ? 'Schema version 7, sha256:[0-9a-f]{64}\\. ' : '';
        expect(origin).toMatch(new RegExp(`^// ${version}Output format 1\\.$`));
        expect(text).not.toContain('\r');
      }
    }
  });

  test('imports end as the configuration says', () => {
    const module = (imports: string) =>
      textOf(
        filesOf(schema, `- {language: typescript, output: db, imports: ${imports}}`),
        'db.gen.ts',
      );
    expect(module('js')).toContain(`from "./svc-runtime.gen.js"`);
    expect(module('ts')).toContain(`from "./svc-runtime.gen.ts"`);
    expect(module('none')).toContain(`from "./svc-runtime.gen"`);
  });

  test('the same whatever order the schema file has', () => {
    const [head = '', ...tables] = schema.split(/^(?= {2}- id)/m);
    const turned = [head, ...tables.reverse()].join('');
    expect(turned).not.toBe(schema);
    const target = '- {language: typescript, output: db}';
    expect(filesOf(turned, target)).toEqual(filesOf(schema, target) as GeneratedFile[]);
  });
});

describe('a configuration is refused where it is wrong', () => {
  const schema = goldens[0]?.schema as string;
  const cases: readonly (readonly [what: string, target: string, message: string])[] = [
    ['no list', 'language: go', '1:1 generate must be a list'],
    ['no language', '- output: db', '1:3 language is missing'],
    ['no output', '- language: go', '1:3 output is missing'],
    [
      'another language',
      '- {language: typscript, output: a}',
      '1:14 generate[0].language must be one of typescript, go, python; did you mean "typescript"?',
    ],
    [
      'an unknown member',
      '- {language: go, output: a, outptu: b}',
      '1:29 unknown member "outptu" of generate[0]; did you mean "output"?',
    ],
    [
      'what is for others',
      '- {language: go, output: a, int64: number}',
      '1:36 int64 is only for clients in TypeScript',
    ],
    [
      'what is for Python',
      '- {language: go, output: a, rows: dict}',
      '1:35 rows is only for clients in Python',
    ],
    [
      'another package',
      '- {language: go, output: a, package: A-b}',
      '1:38 "A-b" is not a package name',
    ],
    [
      'the same twice',
      '- {language: go, output: a}\n- {language: go, output: a}',
      '2:26 two clients for go in a',
    ],
    [
      'an unknown column',
      '- language: typescript\n  output: a\n  columns: {posts.scor: number}',
      '3:13 there is no column "posts.scor"; did you mean "posts.score"?',
    ],
    [
      'int64 of a text',
      '- language: typescript\n  output: a\n  columns: {posts.title: number}',
      '3:13 posts.title has type text: number requires int64',
    ],
    [
      'JSON of a number',
      '- language: typescript\n  output: a\n  columns: {posts.score: {json: X}}',
      '3:13 posts.score has type int64: json requires text',
    ],
    [
      'an unknown name',
      '- {language: typescript, output: a, names: {post: b}}',
      '1:45 there is no table or column "post"; did you mean "posts"?',
    ],
    [
      'an unknown key',
      '- {language: typescript, output: a, relations: {posts_author_fk: [a, b]}}',
      '1:49 there is no foreign key "posts_author_fk"; did you mean "posts_author_id_fk"?',
    ],
    [
      'a type that ends its member',
      '- language: typescript\n  output: a\n  columns: {posts.title: {type: "string; } export const x = 1; //"}}',
      '3:33 "string; } export const x = 1; //" is not a type in TypeScript',
    ],
    [
      'a control character',
      '- {language: go, output: "a\\0b"}',
      '1:26 output has a control character',
    ],
    [
      'a name twice',
      '- {language: typescript, output: a, names: {users: x, posts: x}}',
      '1:55 two objects would have the name "x"',
    ],
    [
      'a name too many',
      '- {language: typescript, output: a, relations: {posts_author_id_fk: [a, b, c]}}',
      '1:49 the table of posts_author_id_fk does more than join two other tables',
    ],
  ];
  for (const [what, target, message] of cases) {
    test(what, () => {
      let said = 'nothing';
      try {
        filesOf(schema, target);
      } catch (error) {
        if (!(error instanceof TargetError)) throw error;
        said = `${error.at?.line}:${error.at?.column} ${error.message}`;
      }
      expect(said).toStartWith(message);
    });
  }
});

test('types of all kinds are taken', () => {
  const types = [
    `'draft' | 'live'`,
    `import('../meta').Meta`,
    '{ readonly tags: readonly string[]; n?: number }',
    'Record<string, unknown>',
    '(value: number) => string',
    '`a-`',
    `'a;b // c' | "it's"`,
    'readonly [a: string, b: number]',
  ];
  for (const type of types) {
    const columns = JSON.stringify({ 'posts.title': { type } });
    const target = `- {language: typescript, output: a, columns: ${columns}}`;
    const text = textOf(filesOf(goldens[0]?.schema as string, target), 'db.gen.ts');
    expect(text).toContain(`  title: ${type};`);
  }
});

/** Words of the languages, what objects have already, and what the generated modules call their own. */
const words =
  'abstract any as async await boolean break case catch class const constructor continue debugger declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface is keyof let module namespace never new null number object of package private protected public readonly require return set static string super switch symbol this throw true try type typeof undefined unique unknown var void while with yield __proto__ hasOwnProperty toString valueOf prototype arguments eval then name length svc t tables connect Tables Client Date Record Uint8Array Promise Array Object String Number Boolean Symbol func chan go map select struct defer fallthrough range goto nil iota error len cap append None True False and or not def lambda pass raise nonlocal global elif except del from_ self init';

test('JavaScript with its declarations fits the strictest of projects', async () => {
  const place = mkdtempSync(join(folder, 'js-'));
  const target = '- {language: typescript, output: db, emit: js}';
  for (const { path, text } of filesOf(goldens[0]?.schema as string, target)) {
    writeFileSync(join(place, path), text);
  }
  const app = `import { connect, t } from './db.gen.js';
export * from './svc-testing.gen.js';
export const posts = connect({ url: 'svc://127.0.0.1' }).run(t.posts.where((p) => p.title.contains('x')));
`;
  writeFileSync(join(place, 'app.mts'), app);
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2022', 'dom'], types: [], module: 'nodenext', strict: true },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
    ...{ noPropertyAccessFromIndexSignature: true, noUnusedLocals: true, noEmit: true },
  };
  const config = { compilerOptions, include: ['*.mts', '*.d.ts'] };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  const child = Bun.spawn([join(root, 'node_modules/.bin/tsc'), '-p', place], { stdout: 'pipe' });
  expect(await new Response(child.stdout).text()).toBe('');
  const { t } = (await import(join(place, 'db.gen.js'))) as { t: object };
  expect(Object.keys(t)).toEqual(['users', 'posts']);
});

test('every reserved word can be the name of a table, and of a column', async () => {
  const all = words.split(' ');
  const column = (name: string, id: number) =>
    `      - {id: ${id}, name: ${JSON.stringify(name)}, type: int64${id === 1 ? ', pk: true' : ''}}`;
  const columns = all.map((name, i) => column(name, i + 1)).join('\n');
  const table = (name: string, id: number) =>
    `  - id: ${id}\n    name: ${JSON.stringify(name)}\n    columns:\n${id === 1 ? columns : column('id', 1)}\n`;
  const schema = `tables:\n${all.map((name, i) => table(name, i + 1)).join('')}`;
  const text = moduleOf(
    { name: 'words', schema, target: '- {language: typescript, output: db, imports: ts}' },
    `${root}/`,
  );
  const path = join(folder, 'words.gen.ts');
  writeFileSync(path, text);
  const compilerOptions = { types: [], lib: ['esnext', 'dom'] };
  const extended = join(root, 'tsconfig.json');
  const tsconfig = { extends: extended, compilerOptions, files: ['words.gen.ts'], include: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  const child = Bun.spawn([join(root, 'node_modules/.bin/tsc'), '--noEmit', '-p', folder], {
    stdout: 'pipe',
  });
  const { t } = (await import(path)) as { t: Record<string, Words> };
  expect(Object.keys(t)).toEqual(all);
  const row = Object.fromEntries(all.map((name, i) => [name, i]));
  for (const name of all) Object.defineProperty(row, name, { value: 1, enumerable: true });
  const { body } = compile((t[all[0] as string] as Words).insert(row));
  for (const name of all) expect(body).toContain(JSON.stringify(name));
  expect(await new Response(child.stdout).text()).toBe('');
});

interface Words {
  insert(row: object): object;
}
