/** docs/http.md: every route stands on the page, and every example answers what the page shows. */

import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routeTable } from '../../src/http/route-table.ts';
import { openMemoryEngine, openTestHandler, testLimits } from '../http/support.ts';

const page = readFileSync(join(import.meta.dir, '..', '..', 'docs/http.md'), 'utf8');

test('every route and method is named', () => {
  const missing = routeTable
    .map(({ path }) => path)
    .filter((path) => !page.includes(` ${path}\``) && !page.includes(`\`${path}\``));
  expect(missing).toEqual([]);
});

const examples = Array.from(
  page.matchAll(/```http\n(\w+) (\S+)\n([\s\S]*?)```\n```json(?: (\d+))?\n([\s\S]*?)```/g),
  ([, method, path, rest, status, answer]) => ({
    method: method as string,
    path: path as string,
    type: /^content-type: (.*)$/m.exec(rest as string)?.[1] ?? 'application/json',
    body: (rest as string).slice((rest as string).indexOf('\n{')).trim(),
    status: Number(status ?? 200),
    answer: JSON.parse(answer as string) as unknown,
  }),
);

/** `…` on the page stands for anything. */
function isLike(shown: unknown, got: unknown): boolean {
  if (shown === '…') return got !== undefined;
  if (typeof shown !== 'object' || shown === null) return shown === got;
  if (typeof got !== 'object' || got === null) return false;
  const keys = Object.keys(shown);
  if (keys.length !== Object.keys(got).length) return false;
  return keys.every((key) => isLike(shown[key as never], got[key as never]));
}

describe('examples', async () => {
  const { send } = openTestHandler(
    { engine: await openMemoryEngine() },
    { limits: { ...testLimits, bodyBytesMax: 1 << 20, arrivingBytesMax: 1 << 24, depthMax: 1024 } },
  );
  test('there are some', () => expect(examples.length).toBeGreaterThan(10));
  for (const { method, path, type, body, status, answer } of examples) {
    test(`${method} ${path}`, async () => {
      const headers = { 'content-type': type };
      const given = await send(method, path, body === '' ? {} : { body, headers });
      const got: unknown = JSON.parse(given.text);
      expect([given.status, isLike(answer, got) ? answer : got]).toEqual([status, answer]);
    });
  }
});
