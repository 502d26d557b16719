/** The tool that looks for mutations which no test notices: what it draws, how it runs suites, and that its list still fits the source. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { drawnMutations } from './draw.ts';
import { type Equivalent, equivalents, gone } from './equivalent.ts';
import { editsOf } from './kinds/edits.ts';
import { largerSuites } from './larger.ts';
import { linesOf } from './lcov.ts';
import { type Mutation, mutationOf } from './mutation.ts';
import { runSuites } from './run-suite.ts';
import { Score } from './score.ts';
import { type Batch, type Suite, Suites } from './suites.ts';
import { Trials } from './trial.ts';
import { TypeChecker } from './type-checker.ts';
import { parseArguments } from './usage.ts';

const sample = `
import { x } from './x.ts';
export { x };
export type One = 1 | true;
export async function f(a: number, b: number, log: { sync(): Promise<void> }): Promise<void> {
  invariant(a < 7, 'small');
  if (a > b) throw new Error('too many');
  for (const each of [a, b - 1]) log.sync();
  await log.sync();
  while (a && !b) { if (a === b) continue; a++; }
  g(a, b);
}
export const isFirst = (all: readonly number[]): boolean => all.some((each) => each < 12);
export function g(a: number, b: number): boolean { return h(a, String(b)); }
declare function h(a: number, b: string): boolean;
declare function invariant(a: boolean, b: string): void;
`;

let folder: string;
let checker: TypeChecker;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-mutate-test-'));
  const files = {
    'tsconfig.json': JSON.stringify({
      compilerOptions: { strict: true, noEmit: true, allowImportingTsExtensions: true, types: [] },
      files: ['a.ts'],
    }),
    'x.ts': 'export const x = 1;',
    'a.ts': sample,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  checker = await TypeChecker.open(folder);
});

afterAll(async () => {
  await checker[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function changes(): Promise<string[]> {
  const source = await checker.sourceFile('a.ts');
  return editsOf(source).map((edit) => {
    const { kind, after } = mutationOf('a.ts', source.text, edit);
    return `${kind}: ${after}`;
  });
}

describe('mutations', () => {
  test('each kind where it belongs', async () => {
    expect(await changes()).toEqual(
      expect.arrayContaining([
        "comparison: if (a >= b) throw new Error('too many');",
        "condition negated: if (!(a > b)) throw new Error('too many');",
        'check removed: {}',
        'empty loop: for (const each of [a, b - 1]) {}',
        'off by one: for (const each of [a, b]) log.sync();',
        'arithmetic: for (const each of [a, b + 1]) log.sync();',
        'missing await: log.sync();',
        'statement removed: ;',
        'logic: while (a || !b) { if (a === b) continue; a++; }',
        'jump removed: while (a && !b) { if (a === b) ; a++; }',
        'arithmetic: while (a && !b) { if (a === b) continue; a--; }',
        'argument order: g(b, a);',
        'constant: export const isFirst = (all: readonly number[]): boolean => all.some((each) => each < 13);',
        'constant: export const isFirst = (all: readonly number[]): boolean => all.some((each) => each < 24);',
        'other function: export const isFirst = (all: readonly number[]): boolean => all.every((each) => each < 12);',
      ]),
    );
  });

  test('types, imports and invariants are left alone', async () => {
    const lines = (await changes()).join('\n');
    expect(lines).not.toContain('One');
    expect(lines).not.toContain('import');
    expect(lines).not.toContain('invariant(a <=');
  });

  test('are known by their lines, single-spaced', () => {
    const text = 'a();\n  f(1,\n    2);\nb();\n';
    const edit = { kind: 'constant', start: 16, end: 17, text: '3' } as const;
    expect(mutationOf('a.ts', text, edit)).toMatchObject({ line: 3, before: '2);', after: '3);' });
  });
});

describe('drawing', () => {
  async function drawn(seed: number): Promise<Mutation[]> {
    const all: Mutation[] = [];
    for await (const mutation of drawnMutations(checker, ['a.ts'], seed)) all.push(mutation);
    return all;
  }

  test('the same seed draws the same mutations, another one others', async () => {
    const first = await drawn(1);
    expect(first.length).toBeGreaterThan(10);
    expect(await drawn(1)).toEqual(first);
    expect(await drawn(2)).not.toEqual(first);
  });

  test('what the type checker refuses is not drawn', async () => {
    const afters = (await drawn(1)).map(({ after }) => after);
    expect((await changes()).join()).toContain('h(String(b), a)');
    expect(afters.join()).not.toContain('h(String(b), a)');
    expect(afters.join()).toContain('!(h(a, String(b)))');
  });
});

describe('a suite', () => {
  const body: Readonly<Record<string, string>> = {
    passes: '',
    fails: 'throw new Error("noticed");',
    hangs: 'for (;;);',
  };

  async function run(name: string, timeoutMs: number) {
    const text = `import { test } from 'bun:test'; test('one', () => { ${body[name]} });`;
    writeFileSync(join(folder, `${name}.test.ts`), text);
    return await runSuites(folder, [`${name}.test.ts`], timeoutMs);
  }

  test('that passes', async () => {
    expect(await run('passes', 30_000)).toMatchObject({ outcome: 'passed' });
  });

  test('that fails says which test', async () => {
    expect(await run('fails', 30_000)).toMatchObject({ outcome: 'failed', failed: 'one' });
  });

  test('that never ends is ended', async () => {
    expect(await run('hangs', 500)).toMatchObject({ outcome: 'timed out' });
  });
});

describe('a mutation', () => {
  const mutation: Mutation = {
    kind: 'constant',
    file: 'limit.ts',
    line: 1,
    lastLine: 1,
    before: 'export const limit = 3;',
    after: 'export const limit = 4;',
    changed: 'export const limit = 4;',
  };
  const original = 'export const limit = 3;';

  function suite(name: string, body: string): Suite {
    const imports =
      "import { expect, test } from 'bun:test';\nimport { limit } from './limit.ts';\n";
    writeFileSync(join(folder, `${name}.test.ts`), `${imports}test('${name}', () => { ${body} });`);
    return { path: `${name}.test.ts`, ms: 100 };
  }

  async function verdict(...batches: readonly (readonly Suite[])[]) {
    writeFileSync(join(folder, 'limit.ts'), original);
    async function* inTurn(): AsyncGenerator<Batch, undefined> {
      for (const [at, suites] of batches.entries()) yield { suites, isOfModule: at === 0 };
    }
    const found = await new Trials(folder).tryOut(mutation, inTurn());
    expect(readFileSync(join(folder, 'limit.ts'), 'utf8')).toBe(original);
    return found;
  }

  test('is noticed by the first suite that fails, and the source is as it was', async () => {
    const blind = suite('blind', 'expect(limit).toBeGreaterThan(1);');
    const sharp = suite('sharp', 'expect(limit).toBe(3);');
    expect(await verdict([blind], [sharp])).toEqual({
      kind: 'noticed',
      by: 'sharp',
      isByModule: false,
    });
    expect(await verdict([sharp])).toMatchObject({ isByModule: true });
    expect(await verdict([blind])).toEqual({ kind: 'survived', suites: 1 });
  });

  test('is not noticed by a suite that fails without it', async () => {
    const broken = suite('broken', 'expect(limit).toBe(7);');
    expect(await verdict([broken])).toEqual({ kind: 'survived', suites: 1 });
  });

  test('is not noticed by suites that only disturb each other', async () => {
    const disturbing =
      'expect(limit + (globalThis.seen = (globalThis.seen ?? 0) + 1)).toBeLessThan(6);';
    const one = suite('one', disturbing);
    const other = suite('other', `${disturbing} expect(globalThis.seen).toBe(1);`);
    expect(await verdict([one, other])).toEqual({ kind: 'survived', suites: 2 });
    const sharp = suite('sharp', 'expect(limit).toBe(3);');
    expect(await verdict([one, other, sharp])).toMatchObject({ kind: 'noticed', by: 'sharp' });
  });
});

test('suites that own a mutation: of its module first, then larger ones of others that run its lines', async () => {
  const tree = mkdtempSync(join(tmpdir(), 'svc-mutate-suites-'));
  const write = (name: string, ...lines: string[]) => {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    writeFileSync(join(tree, name), lines.join('\n'));
  };
  const suite = (...imports: string[]) => [
    "import { test } from 'bun:test';",
    ...imports,
    "test('t', () => {});",
  ];
  const user = (...imports: string[]) => [...suite(...imports), 'x();'];
  const lines = ['export const x = (): number => {', '  return 1;', '};'];
  write('src/a/deep/x.ts', 'export interface X { x: 1 }', ...lines);
  write('src/b/y.ts', "import type { X } from '../a/deep/x.ts';", 'export const y = (x: X) => x;');
  write('tests/a/deep/x.test.ts', ...suite("import '../../../src/a/deep/x.ts';"));
  write('tests/a/other.test.ts', ...user("import { x } from '../../src/a/deep/x.ts';"));
  write('tests/a/idle.test.ts', ...suite("import '../../src/a/deep/x.ts';"));
  write('tests/a/unrelated.test.ts', ...suite());
  write('tests/b/types.test.ts', ...suite("import '../../src/b/y.ts';"));
  write('tests/c/stranger.test.ts', ...suite("import '../../src/a/deep/x.ts';"));
  write('tests/http/unrelated.test.ts', ...suite());
  write('tests/http/user.test.ts', ...user("import { x } from '../../src/a/deep/x.ts';"));
  write('tests/http/idle.test.ts', ...suite("import '../../src/a/deep/x.ts';"));
  write('tests/models/x.test.ts', ...suite("import '../../src/a/deep/x.ts';"));
  try {
    const mutation = { file: 'src/a/deep/x.ts', line: 3, lastLine: 3 } as Mutation;
    const owning: Record<'module' | 'larger', string[]> = { module: [], larger: [] };
    for await (const { suites, isOfModule } of new Suites(tree, 60_000).owning(mutation)) {
      owning[isOfModule ? 'module' : 'larger'].push(...suites.map(({ path }) => path));
    }
    expect(owning).toEqual({
      module: ['tests/a/deep/x.test.ts', 'tests/a/other.test.ts'],
      larger: ['tests/http/user.test.ts'],
    });
    const alone: boolean[] = [];
    for await (const { isOfModule } of new Suites(tree, 0).owning(mutation)) alone.push(isOfModule);
    expect(alone).toEqual([true]);
  } finally {
    rmSync(tree, { recursive: true });
  }
});

test('larger suites of a module: the cheapest first, and the slow ones of the module itself', () => {
  const paths = [
    'tests/generative/generative.test.ts',
    'tests/engine/a.test.ts',
    'tests/cli/stories.test.ts',
  ];
  const of = (file: string) => largerSuites(file, paths).map(({ path }) => path);
  expect(of('src/executor/a.ts')).toEqual([
    'tests/engine/a.test.ts',
    'tests/generative/generative.test.ts',
  ]);
  expect(of('src/cli/a.ts')).toEqual(['tests/cli/stories.test.ts']);
});

test('lines that ran', () => {
  const report = 'SF:src/a.ts\nDA:2,5\nDA:4,0\nend_of_record\nSF:src/b.ts\nDA:1,1\nend_of_record\n';
  expect([...linesOf(report)]).toEqual([
    ['src/a.ts', '.1.0'],
    ['src/b.ts', '1'],
  ]);
});

test('the score counts what was noticed or argued, and nothing that was refused', () => {
  const score = new Score();
  const mutation = { file: 'src/storage/log/a.ts' } as Mutation;
  score.add(mutation, { kind: 'noticed', by: '', isByModule: true });
  score.add(mutation, { kind: 'noticed', by: '', isByModule: false });
  score.add(mutation, { kind: 'equivalent', reason: '' });
  score.add(mutation, { kind: 'refused' });
  score.add({ ...mutation, file: 'src/cli/a.ts' }, { kind: 'survived', suites: 1 });
  expect(score.lines().map((line) => line.replace(/\s+/g, ' '))).toEqual([
    'cli 0.000 0 noticed by the module, 0 by a larger suite, 0 equivalent, of 1',
    'storage 1.000 1 noticed by the module, 1 by a larger suite, 1 equivalent, of 3',
    'storage/log 1.000 1 noticed by the module, 1 by a larger suite, 1 equivalent, of 3',
    'all 0.750 1 noticed by the module, 1 by a larger suite, 1 equivalent, of 4',
  ]);
});

test('arguments', () => {
  expect(parseArguments(['--module', 'storage/log', '--count', '3'])).toMatchObject({
    prefix: 'src/storage/log/',
    count: 3,
    seed: 1,
  });
  expect(parseArguments(['--file', 'src/a.ts:7'])).toMatchObject({ prefix: 'src/a.ts', line: 7 });
  expect(parseArguments([])).toMatchObject({ budgetMs: 240_000 });
  expect(parseArguments(['--budget', '7'])).toMatchObject({ budgetMs: 7_000 });
  expect(parseArguments(['--budget', '0'])).toMatchObject({ budgetMs: 0 });
  expect(parseArguments(['--budget', '-1'])).toBeUndefined();
  expect(parseArguments(['--count', '0'])).toBeUndefined();
  expect(parseArguments(['--modules', 'cli'])).toBeUndefined();
});

test('an entry about a line that is not there any more is told of', () => {
  const [first] = equivalents;
  expect(gone(() => 'another text')).toContain(first as Equivalent);
  expect(gone(() => equivalents.map(({ before }) => before).join('\n'))).toEqual([]);
});
