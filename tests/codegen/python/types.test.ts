/** What checkers of types say of the generated client, as strict as they can be. */

import { describe, expect, test } from 'bun:test';
import { cpSync, readFileSync } from 'node:fs';
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

/** Lines of errors by file. */
function errorsIn(text: string, pattern: RegExp): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>();
  for (const [, file = '', line] of text.matchAll(pattern)) {
    const lines = found.get(file) ?? new Set();
    found.set(file, lines.add(Number(line)));
  }
  return found;
}

const checkers = [
  {
    name: 'pyright',
    isHere: true,
    command: () => [process.execPath, pyright, 'good.py', 'bad.py', 'db'],
    pattern: /(\w+\.py):(\d+):\d+ - error/g,
  },
  {
    name: 'mypy',
    isHere: mypy !== null,
    command: () => [mypy ?? '', 'good.py', 'bad.py', 'db'],
    pattern: /^(?:db\/)?(\w+\.py):(\d+): error/gm,
  },
];

describe.skipIf(python === undefined).each(kinds)(
  '$source, as strict as can be',
  ({ source, target }) => {
    const wanted = wantedOf(source);
    for (const { name, isHere, command, pattern } of checkers) {
      test.skipIf(!isHere)(
        `${name} takes what is right, and each wrong line is an error`,
        async () => {
          using folder = pythonFolderOf(target, source);
          cpSync(join(project, 'pyproject.toml'), join(folder.path, 'pyproject.toml'));
          const [program = '', ...parts] = command();
          const child = Bun.spawn([program, ...parts], {
            cwd: folder.path,
            stdout: 'pipe',
            stderr: 'pipe',
          });
          const all =
            (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
          const found = errorsIn(all, pattern);
          const bad = found.get('bad.py') ?? new Set();
          const elsewhere = [...found].filter(([file]) => file !== 'bad.py');
          const others = all.split('\n').filter((line) => /(?<!bad)\.py:/.test(line));
          if (elsewhere.length > 0) throw new Error(others.join('\n'));
          expect(wanted.filter((line) => !bad.has(line))).toEqual([]);
          expect([...bad].filter((line) => !wanted.includes(line))).toEqual([]);
        },
        120_000,
      );
    }
  },
);
