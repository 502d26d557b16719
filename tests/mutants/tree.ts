/** A temporary copy of the source tree with one change in it. */

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutant } from './mutants.ts';

export const root = join(import.meta.dir, '..', '..');

const copied = [
  'src',
  'package.json',
  'tsconfig.json',
  'tests/generative',
  'tests/oracle',
  'tests/support',
];

/** The text of the mutant's file with the change. */
export function mutated({ name, file, from, to }: Mutant): string {
  const parts = readFileSync(join(root, file), 'utf8').split(from);
  if (parts.length !== 2) {
    throw new Error(`"${name}": its text stands ${parts.length - 1} times in ${file}, not once`);
  }
  return parts.join(to);
}

/** Removed when disposed. */
export function mutantTree(mutant: Mutant): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'svc-mutant-'));
  for (const name of copied) cpSync(join(root, name), join(path, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  writeFileSync(join(path, mutant.file), mutated(mutant));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}
