/** The OpenAPI document holds together, and its examples are what the server answers, in their order, from an empty database on. */

import { describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openApiDocument, operations } from '#wire';
import { openMemoryEngine, openTestHandler, testLimits } from '../http/support.ts';
import { complaint } from './conformance.ts';

const document = openApiDocument() as { readonly components: { readonly schemas: object } };

test('a validator of OpenAPI 3.1 accepts it', async () => {
  const found = await new Validator().validate(structuredClone(document));
  expect(found.errors ?? []).toEqual([]);
  expect(found.valid).toBe(true);
});

test('the validator sees a mistake', async () => {
  const wrong = { ...structuredClone(document), info: { title: 'svc' } };
  expect((await new Validator().validate(wrong)).valid).toBe(false);
});

test('operations have ids of their own, every reference resolves, every definition is used', () => {
  const ids = operations.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const text = JSON.stringify(document);
  const used = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect([...new Set(used)].toSorted()).toEqual(
    Object.keys(document.components.schemas).toSorted(),
  );
});

/** What varies stands for anything. */
function isLike(shown: unknown, got: unknown, varying: readonly string[]): boolean {
  if (typeof shown !== 'object' || shown === null) return shown === got;
  if (typeof got !== 'object' || got === null) return false;
  const keys = Object.keys(shown);
  if (keys.length !== Object.keys(got).length) return false;
  return keys.every(
    (key) =>
      (varying.includes(key) && key in got) ||
      isLike(shown[key as never], got[key as never], varying),
  );
}

describe('example', async () => {
  const { send } = openTestHandler(
    { engine: await openMemoryEngine() },
    { limits: { ...testLimits, bodyBytesMax: 1 << 20, arrivingBytesMax: 1 << 24, depthMax: 1024 } },
  );
  for (const { method, path, body, answers, examples = [] } of operations) {
    for (const example of examples) {
      test(`${method} ${path}`, async () => {
        const { status = 200, answer, varying = [] } = example;
        const definition = answers[status]?.body ?? 'Problem';
        expect(complaint(`#/components/schemas/${definition}`, answer)).toBeUndefined();
        if (body !== undefined) {
          expect(
            complaint(`#/components/schemas/${body.definition}`, example.body),
          ).toBeUndefined();
        }
        const headers = body === undefined ? {} : { 'content-type': body.type };
        const text = example.body === undefined ? {} : { body: JSON.stringify(example.body) };
        const given = await send(method, example.path ?? path, { ...text, headers });
        const got: unknown = JSON.parse(given.text);
        expect([given.status, isLike(answer, got, varying) ? answer : got]).toEqual([
          status,
          answer,
        ]);
      });
    }
  }
});
