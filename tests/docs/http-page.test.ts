/** docs/http.md is the page of the operations; their examples are run in tests/openapi. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { httpPage } from '#wire';
import { routeTable } from '../../src/http/routes/route-table.ts';

const page = readFileSync(join(import.meta.dir, '..', '..', 'docs/http.md'), 'utf8');

test('is up to date (bun run build.ts --schemas)', () => {
  expect(page).toBe(httpPage());
});

test('every route and method is named', () => {
  const missing = routeTable
    .map(({ path }) => path)
    .filter((path) => !page.includes(` ${path}\``) && !page.includes(`\`${path}\``));
  expect(missing).toEqual([]);
});
