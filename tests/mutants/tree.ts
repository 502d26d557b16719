/** A temporary copy of the source tree with changes in it. */

import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Change } from './mutants.ts';

const root = join(import.meta.dir, '..', '..');

const copied = [
  'src',
  'clients',
  'docs',
  'package.json',
  'tsconfig.json',
  'tests/generative',
  'tests/oracle',
  'tests/support',
];

/** The text of a file of the tree at `base` with the change. */
export function changed({ file, from, to }: Change, base = root): string {
  const parts = readFileSync(join(base, file), 'utf8').split(from);
  if (parts.length !== 2) {
    throw new Error(`the text to change stands ${parts.length - 1} times in ${file}, not once`);
  }
  return parts.join(to);
}

export interface Tree extends Disposable {
  readonly path: string;
}

/** With other files and folders, too. Removed when disposed. */
export function changedTree(changes: readonly Change[], others: readonly string[] = []): Tree {
  const tree = copiedTree([...copied, ...others]);
  for (const change of changes) {
    writeFileSync(join(tree.path, change.file), changed(change, tree.path));
  }
  return tree;
}

/** A copy of files and folders of the repository, with its packages beside them. Removed when disposed. */
export function copiedTree(names: readonly string[]): Tree {
  const path = mkdtempSync(join(tmpdir(), 'svc-mutant-'));
  for (const name of names) cpSync(join(root, name), join(path, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
