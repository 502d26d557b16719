/** What checkers of types say of the generated client, as strict as they can be. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { project, python, pythonFolderOf } from './support.ts';

/** Folders with a `good.py` and a `bad.py`, and the client that they are about. */
const kinds = [
  { source: 'types', target: '- {language: python, output: db}', least: 60 },
  { source: 'dicts', target: '- {language: python, output: db, rows: dict}', least: 6 },
];

const wantedOf = (source: string) =>
  readFileSync(join(import.meta.dir, source, 'bad.py'), 'utf8')
    .split('\n')
    .flatMap((line, i) => (line.endsWith('# bad') ? [i + 1] : []));

const pyright = join(import.meta.dir, '../../../node_modules/pyright/index.js');
const mypy = Bun.which('mypy');
if (mypy === null)
  console.warn('no mypy here: the types of Python clients are checked by pyright alone');

test.each(kinds)('there are cases: $source', ({ source, least }) =>
  expect(wantedOf(source).length).toBeGreaterThanOrEqual(least),
);

/** Lines of errors by kind and file: `dicts/bad.py`. */
function errorsIn(text: string, pattern: RegExp): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>();
  for (const [, file = '', line] of text.matchAll(pattern)) {
    const lines = found.get(file) ?? new Set();
    found.set(file, lines.add(Number(line)));
  }
  return found;
}

/** One folder with a folder of each kind, for all of them at once: a checker takes longest to read its own types. */
const folder = mkdtempSync(join(tmpdir(), 'svc-python-types-'));
afterAll(() => rmSync(folder, { recursive: true }));
const projectFile = join(project, 'pyproject.toml');
interface Project {
  readonly tool: { readonly pyright: Readonly<Record<string, unknown>> };
}
const sources = kinds.map(({ source }) => source);

async function outputOf(command: readonly string[], cwd: string): Promise<string> {
  const child = Bun.spawn([...command], { cwd, stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return out + err;
}

const checkers = [
  {
    name: 'pyright',
    isHere: true,
    run: () => outputOf([process.execPath, pyright], folder),
    pattern: /(?<=\/)(\w+\/(?:db\/)?\w+\.py):(\d+):\d+ - error/g,
  },
  {
    name: 'mypy',
    isHere: mypy !== null,
    // Each kind has modules of the same names; both have one cache of what comes with mypy.
    run: async () => {
      const texts: string[] = [];
      const flags = ['--incremental', '--cache-dir', join(folder, 'cache')];
      for (const source of sources) {
        const files = ['good.py', 'bad.py', 'db'];
        const text = await outputOf([mypy ?? '', ...flags, ...files], join(folder, source));
        texts.push(text.replace(/^(?=\S+\.py:)/gm, `${source}/`));
      }
      return texts.join('');
    },
    pattern: /^(\w+\/(?:db\/)?\w+\.py):(\d+): error/gm,
  },
];

describe.skipIf(python === undefined)('as strict as can be', () => {
  beforeAll(() => {
    for (const { source, target } of kinds) {
      using client = pythonFolderOf(target, source);
      cpSync(client.path, join(folder, source), { recursive: true });
      cpSync(projectFile, join(folder, source, 'pyproject.toml'));
    }
    const { pyright: settings } = (Bun.TOML.parse(readFileSync(projectFile, 'utf8')) as Project)
      .tool;
    const executionEnvironments = sources.map((root) => ({ root }));
    const config = { ...settings, include: sources, executionEnvironments };
    writeFileSync(join(folder, 'pyrightconfig.json'), JSON.stringify(config));
  });

  for (const { name, isHere, run, pattern } of checkers) {
    test.skipIf(!isHere)(
      `${name} takes what is right, and each wrong line is an error`,
      async () => {
        const all = await run();
        const found = errorsIn(all, pattern);
        const isWanted = (file: string) => sources.some((source) => file === `${source}/bad.py`);
        const others = all.split('\n').filter((line) => /(?<!bad)\.py:/.test(line));
        if ([...found.keys()].some((file) => !isWanted(file))) throw new Error(others.join('\n'));
        for (const source of sources) {
          const lines = [...(found.get(`${source}/bad.py`) ?? [])].sort((a, b) => a - b);
          expect([source, lines]).toEqual([source, wantedOf(source)]);
        }
      },
      120_000,
    );
  }
});
