/** Tokens: valid ones are accepted, every forged or changed one is refused. */

import { describe, expect, test } from 'bun:test';
import { KeySet, type TokenProfile, tokenAlgorithms } from '#authentication';
import { portionOf } from '../../support/portion.ts';
import { forgeries } from './forgeries.ts';
import {
  audience,
  claimsOf,
  fixedKeys,
  headerOf,
  issuerKeys,
  jwkOf,
  keySetOf,
  type Members,
  newPair,
  nowSeconds,
  pairs,
  rulesOf,
  tokenOf,
  validToken,
  verifierOf,
} from './issuer.ts';
import { mutations } from './mutations.ts';

test.each([...tokenAlgorithms])('a valid token with %s is accepted', async (algorithm) => {
  const result = await verifierOf().verify(validToken(algorithm));
  expect(result).toMatchObject({
    claims: {
      subject: 'ada',
      expiresAtMs: (nowSeconds + 3600) * 1000,
      refusedFromMs: (nowSeconds + 3660) * 1000,
    },
    key: { id: algorithm.toLowerCase() },
  });
});

describe('these valid tokens are accepted', () => {
  const day = 24 * 60 * 60;
  const cases: readonly [string, TokenProfile, Members, Members][] = [
    ['aud with several texts', 'rfc9068', {}, { aud: ['other', audience] }],
    ['typ with its application, in capital letters', 'rfc9068', { typ: 'APPLICATION/AT+JWT' }, {}],
    ['exp within the leeway', 'rfc9068', {}, { exp: nowSeconds - 59 }],
    ['a life of 24 h', 'rfc9068', {}, { iat: nowSeconds, exp: nowSeconds + day }],
    ['iat within the leeway', 'rfc9068', {}, { iat: nowSeconds + 60 }],
    ['nbf within the leeway', 'rfc9068', {}, { nbf: nowSeconds + 60 }],
    ['times with a fraction', 'rfc9068', {}, { exp: nowSeconds + 0.5 }],
    ['sub of 255 bytes', 'rfc9068', {}, { sub: `a${'ä'.repeat(127)}` }],
    ['unknown members', 'rfc9068', { x5t: 'a' }, { nonce: 'n', toString: 1 }],
    ['typ JWT', 'compatible', { typ: 'JWT' }, {}],
    ['no typ', 'compatible', { typ: undefined }, {}],
    ['no kid, and one key fits', 'compatible', { kid: undefined }, {}],
    ['no jti and client_id', 'compatible', {}, { jti: undefined, client_id: undefined }],
    ['no iat', 'compatible', {}, { iat: undefined, exp: nowSeconds + day + 60 }],
  ];
  test.each(cases)('%s (%s)', async (_, profile, header, claims) => {
    const token = tokenOf(headerOf('RS256', header), claimsOf(claims), pairs.RS256);
    expect(await verifierOf(rulesOf(profile)).verify(token)).toBeObject();
  });
});

test('at least 60 forged tokens have different names', () => {
  expect(new Set(forgeries.map(({ name }) => name)).size).toBe(forgeries.length);
  expect(forgeries.length).toBeGreaterThanOrEqual(60);
});

test.each(forgeries.map((forgery) => [forgery.name, forgery] as const))(
  'a forged token is refused: %s',
  async (_, { profile = 'rfc9068', token, fault }) => {
    expect(await verifierOf(rulesOf(profile)).verify(token)).toBe(fault);
  },
);

test('no changed token is accepted', async () => {
  const verifier = verifierOf();
  const accepted: string[] = [];
  for (const { token } of mutations(1, portionOf(40_000))) {
    if (typeof (await verifier.verify(token)) !== 'string') accepted.push(token);
  }
  expect(accepted).toEqual([]);
});

test('an algorithm that is not permitted is refused although its key is known', async () => {
  const verifier = verifierOf(rulesOf('rfc9068', new Set(['ES256'])));
  expect(await verifier.verify(validToken('RS256'))).toBe('algorithm');
  expect(await verifier.verify(validToken('ES256'))).toBeObject();
});

describe('a token without kid for compatible issuers', () => {
  const token = tokenOf(headerOf('ES256', { kid: undefined }), claimsOf(), pairs.ES256);
  const verify = async (...keys: readonly Members[]) =>
    verifierOf(rulesOf('compatible'), fixedKeys(await keySetOf(1, ...keys))).verify(token);

  test('is refused if two keys fit', async () => {
    const second = jwkOf(newPair('ES256'), { kid: 'second' });
    expect(await verify(jwkOf(pairs.ES256), second)).toBe('unknown_key');
  });

  test('is accepted if the only key that fits has no kid', async () => {
    expect(await verify(jwkOf(pairs.ES256, { kid: undefined }), jwkOf(pairs.RS256))).toBeObject();
  });
});

describe('keys that change', () => {
  test('an unknown kid is searched again after a refresh', async () => {
    let current = await keySetOf(1);
    const refresh = async () => {
      current = issuerKeys;
    };
    const keys = {
      isReady: true,
      refresh,
      get current() {
        return current;
      },
    };
    expect(await verifierOf(rulesOf('rfc9068'), keys).verify(validToken('EdDSA'))).toBeObject();
  });

  test('a known kid causes no refresh, and neither does a token with wrong claims', async () => {
    let refreshes = 0;
    const refresh = async () => void refreshes++;
    const verifier = verifierOf(rulesOf('rfc9068'), {
      current: issuerKeys,
      isReady: true,
      refresh,
    });
    await verifier.verify(validToken('EdDSA'));
    const claims = claimsOf({ exp: 0 });
    await verifier.verify(tokenOf(headerOf('EdDSA', { kid: 'other' }), claims, pairs.EdDSA));
    expect(refreshes).toBe(0);
  });

  test.each(['removed', 'replaced by another key with its kid'])(
    'a key that is %s during the verification takes its tokens along',
    async (how) => {
      const left = how === 'removed' ? [] : [jwkOf(newPair('EdDSA'))];
      const later = await keySetOf(2, ...left, jwkOf(pairs.RS256));
      let current = issuerKeys;
      const keys = {
        isReady: true,
        refresh: () => Promise.resolve(),
        get current() {
          return current;
        },
      };
      const { promise, resolve } = Promise.withResolvers<void>();
      const verifier = verifierOf(rulesOf('rfc9068'), keys, async (work) => {
        await promise;
        return work();
      });
      const result = verifier.verify(validToken('EdDSA'));
      current = later;
      resolve();
      expect(await result).toBe('key_removed');
    },
  );

  test('a key that another set also contains remains valid during the verification', async () => {
    const parsed = await keySetOf(1, jwkOf(pairs.EdDSA), jwkOf(pairs.RS256));
    let current = parsed;
    const keys = {
      isReady: true,
      refresh: () => Promise.resolve(),
      get current() {
        return current;
      },
    };
    const result = verifierOf(rulesOf('rfc9068'), keys).verify(validToken('EdDSA'));
    current = new KeySet(2, parsed.keys.slice(0, 1));
    expect(await result).toBeObject();
  });
});
