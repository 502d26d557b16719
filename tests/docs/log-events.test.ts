/** The table of log events in docs/monitoring.md, against what the source writes. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';

const root = join(import.meta.dir, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('lists every event that is written, and no other', () => {
  const sources = ['src/server/**/*.ts', 'src/cli/serve/*.ts'].flatMap((pattern) => [
    ...new Glob(pattern).scanSync({ cwd: root }),
  ]);
  const groups =
    'admin|audit|auth|process|listener|http|request|program|scheduler|storage|log|relay|telemetry|tls';
  const written = new Set<string>();
  for (const path of sources) {
    for (const [, event] of read(path).matchAll(new RegExp(`'((?:${groups})\\.[a-z_]+)'`, 'g'))) {
      written.add(event as string);
    }
  }
  const [, section = ''] = read('docs/monitoring.md').split('\n## Logs\n');
  const rows = (section.split('\n## ')[0] as string)
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const listed = rows.flatMap((row) =>
    [...(row.split('|')[1] as string).matchAll(/`([a-z_.]+)`/g)].map(
      ([, event]) => event as string,
    ),
  );
  // Written as `storage.` and what it was.
  expect(
    [...written, 'storage.fenced', 'storage.failed'].filter((event) => !listed.includes(event)),
  ).toEqual([]);
  expect(listed.filter((event) => !written.has(event))).toEqual([]);
});
