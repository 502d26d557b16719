/** The committed schemas are the ones that the grammar generates, and they hold together. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateSchemas } from '#wire';

const directory = join(import.meta.dir, '..', '..', 'schemas');
const generated = Object.entries(generateSchemas());
const grammars = generated.filter(([file]) => file !== 'openapi.json');

test.each(generated)('schemas/%s is up to date (bun run build.ts --schemas)', (file, text) => {
  expect(readFileSync(join(directory, file), 'utf8')).toBe(text);
});

test.each(grammars)('%s: every reference resolves, every definition is used', (_, text) => {
  const { $defs, $ref } = JSON.parse(text) as { $defs: object; $ref: string };
  const used = new Set([$ref]);
  for (const [, ref] of text.matchAll(/"\$ref": "([^"]+)"/g)) used.add(ref as string);
  expect([...used].sort()).toEqual(
    Object.keys($defs)
      .map((name) => `#/$defs/${name}`)
      .sort(),
  );
});

test.each(grammars)('%s: all definitions are described', (_, text) => {
  const { $defs } = JSON.parse(text) as { $defs: Record<string, { description?: string }> };
  const silent = Object.keys($defs).filter((name) => !$defs[name]?.description);
  expect(silent).toEqual([]);
});
