/**
 * Source files that are other than they are written: their text is changed as they are loaded, so that the product needs no switches. Must
 * be called before anything of `src` is imported.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plugin } from 'bun';
import type { Change } from '../../mutants/mutants.ts';

const root = join(import.meta.dir, '..', '..', '..');

export function loadChanged(changes: readonly Change[]): void {
  const texts = new Map<string, string>();
  for (const change of changes) {
    const path = join(root, change.file);
    texts.set(path, changedText(texts.get(path) ?? readFileSync(path, 'utf8'), change));
  }
  plugin({
    name: 'changed sources',
    setup(build) {
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => ({
        contents: texts.get(path) ?? readFileSync(path, 'utf8'),
        loader: 'ts',
      }));
    },
  });
}

/** The text to change stands exactly once, so that a change never hits the wrong place or none. */
export function changedText(text: string, { file, from, to }: Change): string {
  const parts = text.split(from);
  if (parts.length !== 2) {
    throw new Error(`the text to change stands ${parts.length - 1} times in ${file}, not once`);
  }
  return parts.join(to);
}
