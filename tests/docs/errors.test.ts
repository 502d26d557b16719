/** The generated part of docs/errors.md is what the registry of reasons gives. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { reasons } from '#failure';
import { errorsPath, renderErrors } from './errors-page.ts';

const page = readFileSync(errorsPath, 'utf8');

test('docs/errors.md is up to date (bun run tests/docs/write-errors.ts)', () => {
  expect(page).toBe(renderErrors(page));
});

test('every reason has its row', () => {
  const missing = Object.keys(reasons).filter((reason) => !page.includes(`\n| \`${reason}\` |`));
  expect(missing).toEqual([]);
});
