/** Reading of key sets: from a file, from a URL, and by the metadata of the issuer. */

import { describe, expect, test } from 'bun:test';
import { type Fetch, type KeyOrigin, keySetBytesMax, loadKeysFrom } from '#authentication';
import { manualWorld } from '../../support/manual-world.ts';
import { rejection } from '../../support/outcome.ts';
import { issuerUrl, jwkOf, pairs, setOf } from './issuer.ts';

const set = setOf(jwkOf(pairs.EdDSA));
const setUrl = 'https://keys.example/set';
const metadataUrl = 'https://issuer.example/.well-known/openid-configuration';
const atUrl: KeyOrigin = { kind: 'url', url: setUrl };
const ofIssuer: KeyOrigin = { kind: 'issuer', issuer: issuerUrl };
const readFile = () => Promise.reject(new Error('no file'));
const metadata = { issuer: issuerUrl, jwks_uri: setUrl };

type Pages = Readonly<Record<string, () => Response>>;

/** A network with these pages. */
function networkOf(pages: Pages) {
  const asked: string[] = [];
  const fetch: Fetch = async (url, { redirect }) => {
    asked.push(`${redirect} ${url}`);
    return pages[url]?.() ?? new Response('', { status: 404 });
  };
  return { asked, parts: { fetch, readFile, scheduler: manualWorld().scheduler } };
}

const page =
  (body: ConstructorParameters<typeof Response>[0], init: ResponseInit = {}) =>
  () =>
    new Response(body, init);
const problemOf = async (load: () => Promise<unknown>) =>
  ((await rejection(load())) as Error).message;

test('a file is read up to its limit', async () => {
  const asked: unknown[] = [];
  const readFile = async (...args: unknown[]) => {
    asked.push(args);
    return set;
  };
  const load = loadKeysFrom(
    { kind: 'file', path: '/keys.json' },
    { ...networkOf({}).parts, readFile },
  );
  expect([await load(), asked]).toEqual([set, [['/keys.json', keySetBytesMax]]]);
});

describe('a URL', () => {
  test('is read without redirects', async () => {
    const { asked, parts } = networkOf({ [setUrl]: page(set as Uint8Array<ArrayBuffer>) });
    expect(await loadKeysFrom(atUrl, parts)()).toEqual(set);
    expect(asked).toEqual([`manual ${setUrl}`]);
  });

  test.each([301, 302, 307, 404, 500, 204])('is refused with status %d', async (status) => {
    const init = { status, headers: { location: 'https://other.example' } };
    const { asked, parts } = networkOf({ [setUrl]: () => new Response(null, init) });
    expect(await problemOf(loadKeysFrom(atUrl, parts))).toContain(`got ${status}`);
    expect(asked).toHaveLength(1);
  });

  test.each(['http://keys.example/set', 'file:///keys.json', 'data:application/json,{}', 'keys'])(
    'is refused if it is not https: %s',
    async (url) => {
      const { asked, parts } = networkOf({});
      expect(await problemOf(loadKeysFrom({ kind: 'url', url }, parts))).toBe(
        `${url}: expected an https URL`,
      );
      expect(asked).toEqual([]);
    },
  );

  test('is refused if its body is too large, before the body ends', async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    const { parts } = networkOf({ [setUrl]: page(body) });
    expect(await problemOf(loadKeysFrom(atUrl, parts))).toContain('larger than 1048576 bytes');
    expect(sent).toBeLessThan(2 * keySetBytesMax);
  });

  test.each(['before the response', 'within the body'])('has 5 s: %s', async (when) => {
    const world = manualWorld();
    const signals: AbortSignal[] = [];
    const fetch: Fetch = async (_, { signal }) => {
      signals.push(signal);
      if (when === 'within the body') return new Response(new ReadableStream({}));
      return new Promise(() => {});
    };
    const problem = problemOf(loadKeysFrom(atUrl, { fetch, readFile, scheduler: world.scheduler }));
    await world.scheduler.yield();
    expect(world.pending).toEqual([5000]);
    world.advance(5000);
    expect(await problem).toBe('no complete response within 5 s');
    expect(signals[0]?.aborted).toBe(true);
  });

  test('leaves no timer', async () => {
    const world = manualWorld();
    const fetch: Fetch = async () => new Response(set as Uint8Array<ArrayBuffer>);
    await loadKeysFrom(atUrl, { fetch, readFile, scheduler: world.scheduler })();
    expect(world.pending).toEqual([]);
  });
});

describe('discovery', () => {
  const pages = { [setUrl]: page(set as Uint8Array<ArrayBuffer>) };

  test('finds the keys by the metadata of the issuer', async () => {
    const { asked, parts } = networkOf({ ...pages, [metadataUrl]: page(JSON.stringify(metadata)) });
    expect(await loadKeysFrom(ofIssuer, parts)()).toEqual(set);
    expect(asked).toEqual([`manual ${metadataUrl}`, `manual ${setUrl}`]);
  });

  const cases: readonly [string, string, RegExp][] = [
    [
      'another issuer',
      JSON.stringify({ ...metadata, issuer: 'https://issuer.example' }),
      /differs/,
    ],
    [
      'the issuer twice',
      `{"issuer":"x","issuer":"${issuerUrl}","jwks_uri":"${setUrl}"}`,
      /JSON object/,
    ],
    ['no URL of keys', JSON.stringify({ issuer: issuerUrl }), /jwks_uri is missing/],
    [
      'keys without TLS',
      JSON.stringify({ ...metadata, jwks_uri: 'http://keys.example' }),
      /https URL/,
    ],
    ['too large', JSON.stringify({ ...metadata, more: 'x'.repeat(65_536) }), /larger than 65536/],
    ['not JSON', '<html>', /JSON object/],
  ];
  test.each(cases)('is refused: %s', async (_, body, problem) => {
    const { asked, parts } = networkOf({ ...pages, [metadataUrl]: page(body) });
    expect(await problemOf(loadKeysFrom(ofIssuer, parts))).toMatch(problem);
    expect(asked).toHaveLength(1);
  });
});
