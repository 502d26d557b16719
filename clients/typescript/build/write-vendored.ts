/** The texts of `../vendored`, which `svc generate` copies into applications: the runtime as TypeScript, as JavaScript and as declarations. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vendoredSources } from './vendored-sources.ts';

const project = join(import.meta.dir, '..');
const packages = join(project, '..', '..', 'node_modules');

const compilerOptions = {
  declaration: true,
  target: 'es2022',
  lib: ['es2022', 'esnext.disposable', 'dom'],
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  types: ['node'],
  typeRoots: [join(packages, '@types')],
};

/** The compiler makes JavaScript and declarations. */
export function writeVendored(): void {
  const sources = vendoredSources((path) => readFileSync(join(project, 'runtime', path), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'svc-vendored-'));
  try {
    for (const [path, text] of Object.entries(sources)) writeFileSync(join(folder, path), text);
    compile(folder, Object.keys(sources));
    for (const name of ['svc-runtime', 'svc-testing']) {
      for (const ending of ['ts', 'js', 'd.ts']) {
        const text = readFileSync(join(folder, `${name}.gen.${ending}`), 'utf8');
        writeFileSync(join(project, 'vendored', `${name}.${ending}.txt`), text);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compile(folder: string, files: readonly string[]): void {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { exitCode } = Bun.spawnSync([join(packages, '.bin/tsc'), '-p', folder], {
    stdout: 'inherit',
    stderr: 'inherit',
  });
  if (exitCode !== 0) throw new Error('the runtime of TypeScript clients does not compile');
}
