/** Python programs of tests: a folder with the generated client of the specimen, and the interpreter to run it. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { filesOf } from '../generate/files.ts';
import { schema } from '../specimen/schema.ts';

/** The project of the runtime, which says the least version of Python that clients are for. */
export const project = join(import.meta.dir, '..', '..', '..', 'clients', 'python');
const projectFile = readFileSync(join(project, 'pyproject.toml'), 'utf8');
const leastMinor = Number(/^requires-python = ">=3\.(\d+)"$/m.exec(projectFile)?.[1]);

/** Undefined where there is no Python, or an older one. */
function findPython(): string | undefined {
  for (const name of ['python3', 'python3.13', 'python3.12', 'python3.11']) {
    const path = Bun.which(name);
    if (path === null) continue;
    const { stdout } = Bun.spawnSync([path, '-c', 'import sys; print(*sys.version_info[:2])']);
    const [major, minor] = stdout.toString().trim().split(' ').map(Number);
    if (major === 3 && Number(minor) >= leastMinor) return path;
  }
  return undefined;
}

export const python = findPython();
if (python === undefined) {
  console.warn(`no Python 3.${leastMinor} or later here: the tests of Python clients are skipped`);
}

export interface PythonFolder extends Disposable {
  readonly path: string;
  /** Runs a program of the folder; `all` has both its streams. */
  run(parts: readonly string[]): Promise<{ status: number; all: string }>;
}

/** A folder with the package `db`, and the files of `sources`. */
export function pythonFolder(...sources: readonly string[]): PythonFolder {
  return pythonFolderOf('- {language: python, output: db}', ...sources);
}

export function pythonFolderOf(target: string, ...sources: readonly string[]): PythonFolder {
  const path = mkdtempSync(join(tmpdir(), 'svc-python-'));
  for (const file of filesOf(JSON.stringify(schema), target)) {
    const to = join(path, file.path);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, file.text);
  }
  for (const source of sources) cpSync(join(import.meta.dir, source), path, { recursive: true });
  return {
    path,
    run: async (parts) => {
      const child = Bun.spawn([python as string, ...parts], {
        cwd: path,
        env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: path },
        stdout: 'pipe',
        stderr: 'pipe',
      });
      const [out, err, status] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      return { status, all: out + err };
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  };
}
