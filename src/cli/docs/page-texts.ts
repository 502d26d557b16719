/** Reads the texts of the documentation when the executable is built. `pages.ts` calls this as a macro, and the result replaces the call. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';

const root = join(import.meta.dir, '../../..');

/** Returns the texts by topic: the path of a page below `docs/` without its extension, or the path of a published schema. */
export function pageTexts(): Readonly<Record<string, string>> {
  const paths = [
    ...[
      'README.md',
      'docs/*.md',
      'docs/clients/*.md',
      'docs/decisions/*.md',
      'docs/notes/*.md',
      'schemas/*.json',
    ],
  ].flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root })].sort());
  return Object.fromEntries(
    paths.map((path) => [topicOf(path), readFileSync(join(root, path), 'utf8')]),
  );
}

function topicOf(path: string): string {
  if (path === 'docs/README.md') return 'index';
  return path.replace(/^docs\//, '').replace(/\.md$/, '');
}
