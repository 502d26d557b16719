/** The files whose texts are checked. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkedFiles } from './texts.ts';

const root = join(import.meta.dir, '../..');

export function readFiles(paths?: readonly string[]): readonly { path: string; text: string }[] {
  const found =
    paths ?? checkedFiles.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)]);
  return [...new Set(found)]
    .filter((path) => !path.includes('node_modules/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
