/** The check of requests: keys, tokens, the cache of accepted headers, and limits of invalid tokens. */

import { describe, expect, test } from 'bun:test';
import type { Principal } from '#access';
import { challengeOf, KeySet, VerificationSlots } from '#authentication';
import { forgeries } from '../token/forgeries.ts';
import {
  issuerUrl,
  jwkOf,
  keySetOf,
  type Members,
  newPair,
  nowSeconds,
  pairs,
  validToken,
} from '../token/issuer.ts';
import { answerOf, checkOf, client, newKey } from './support.ts';

const hourMs = 3_600_000;
const tokenHeader = (claims: Members = {}) => `Bearer ${validToken('EdDSA', claims)}`;
const ada = `${issuerUrl} ada`;

test('a request without Authorization needs a token, which is not a failure of its address', async () => {
  const { send, refused } = checkOf();
  for (let i = 0; i < 100; i++) expect(await answerOf(send(null))).toBe('missing_token');
  expect(refused).toEqual([]);
});

test('the challenges of the responses', () => {
  expect(challengeOf('missing_token')).toBe('Bearer realm="svc"');
  expect(challengeOf('invalid_token')).toBe('Bearer realm="svc", error="invalid_token"');
  expect(challengeOf('insufficient_scope')).toBe('Bearer realm="svc", error="insufficient_scope"');
  expect(challengeOf('overloaded')).toBeUndefined();
});

describe('the form of the header', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('permits %s', async (scheme) => {
    const { send, add } = checkOf();
    const { key, text } = newKey();
    add(key);
    expect(await answerOf(send(`${scheme} ${text}`))).toBe(key.id);
  });

  test('refuses everything else', async () => {
    const { send, add, refused } = checkOf();
    const { key, text, header } = newKey();
    add(key);
    const headers = [
      '',
      'Bearer',
      'Bearer ',
      text,
      `Bearer  ${text}`,
      ` ${header}`,
      `${header} `,
      `Bearer\t${text}`,
      `${header}, ${header}`,
      `${header},${header}`,
      `Basic ${text}`,
      `XBearer ${text}`,
      `${header}\u00e9`,
      `${header}\n`,
    ];
    for (const [i, wrong] of headers.entries()) {
      expect([wrong, await answerOf(send(wrong, `10.0.0.${i}`))]).toEqual([wrong, 'invalid_token']);
    }
    expect(refused).toHaveLength(headers.length);
  });
});

describe('an API key', () => {
  test('gives its principal', async () => {
    const { send, add } = checkOf();
    const { key, header } = newKey({
      scopes: new Set(['read', 'write']),
      grants: [{ table: 7, actions: new Set(['read']) }],
      claims: { org: 5 },
      limits: { rate: 3 },
    });
    add(key);
    expect(send(header)).toMatchObject({
      kind: 'key',
      id: key.id,
      scopes: new Set(['read', 'write']),
      visibility: { policies: 'enforce' },
      claims: { org: 5 },
      limits: { rate: 3 },
    });
  });

  const now = nowSeconds * 1000;
  test.each([
    ['of another secret', 'wrong_secret', { hash: new Uint8Array(32) }],
    ['revoked', 'revoked', { revokedAtMs: now - 1 }],
    ['expired', 'expired', { expiresAtMs: now }],
  ] as const)('is refused: %s', async (_, fault, more) => {
    const { send, add, refused } = checkOf();
    const { key, header } = newKey(more);
    add(key);
    expect(await answerOf(send(header))).toBe('invalid_token');
    expect(refused).toEqual([{ reason: 'invalid_token', address: client, fault, keyId: key.id }]);
  });

  test('is refused: unknown, or with a wrong checksum', async () => {
    const { send, refused } = checkOf();
    const { header } = newKey();
    await send(header);
    await send(`${header.slice(0, -1)}${header.endsWith('0') ? '1' : '0'}`);
    expect(refused.map(({ fault }) => fault)).toEqual(['unknown', 'malformed']);
  });

  test('is refused if keys are not accepted', async () => {
    const { send, add } = checkOf({ withoutKeys: true });
    const { key, header } = newKey();
    add(key);
    expect(await answerOf(send(header))).toBe('invalid_token');
  });
});

test('secrets are compared by the injected function only, as often for unknown keys as for known ones', async () => {
  const { send, add, state } = checkOf();
  const known = newKey();
  const wrong = newKey({ hash: new Uint8Array(32) });
  add(known.key, wrong.key);
  for (const [{ header }, answer] of [
    [newKey(), 'invalid_token'],
    [wrong, 'invalid_token'],
    [known, known.key.id],
  ] as const) {
    state.compared = [];
    expect(await answerOf(send(header))).toBe(answer);
    expect(state.compared).toEqual([32]);
  }
  state.compared = [];
  await send(known.header);
  expect(state.compared).toEqual([known.header.length]);
});

test('all refusals of an invalid token are the same object', async () => {
  const { send, add, state } = checkOf();
  const ended = [
    newKey({ hash: new Uint8Array(32) }),
    newKey({ revokedAtMs: 1 }),
    newKey({ expiresAtMs: 1 }),
  ];
  add(...ended.map(({ key }) => key));
  const forged = forgeries
    .filter(({ profile, token }) => profile === undefined && token.length < 8192)
    .map(({ token }) => `Bearer ${token}`);
  const headers = [...ended.map(({ header }) => header), newKey().header, 'Bearer x', ...forged];
  const results = new Set();
  for (const [i, header] of headers.entries()) results.add(await send(header, `10.0.0.${i}`));
  expect(results.size).toBe(1);
  expect(state.addressesRead).toBe(headers.length);
});

describe('a header that was accepted', () => {
  test('is found without a promise, and without the address', async () => {
    const { send, add, state } = checkOf();
    const { key, header } = newKey();
    add(key);
    const first = [await send(header), await send(tokenHeader())];
    expect(state).toMatchObject({ addressesRead: 2, verifications: 1 });
    const token = tokenHeader();
    await send(token);
    const again = [send(header), send(token)];
    expect(again.some((result) => result instanceof Promise)).toBe(false);
    expect(again[0]).toBe(first[0] as never);
    expect(again[1]).toMatchObject({ id: ada });
  });

  test('is refused at once after the revocation of its key', async () => {
    const { send, add } = checkOf();
    const { key, header } = newKey();
    add(key);
    expect(await answerOf(send(header))).toBe(key.id);
    add({ ...key, revokedAtMs: nowSeconds * 1000 });
    expect(await answerOf(send(header))).toBe('invalid_token');
  });

  test('remains valid after a change of another key', async () => {
    const { send, add } = checkOf();
    const { key, header } = newKey();
    add(key);
    await send(header);
    add(newKey().key);
    expect(await answerOf(send(header))).toBe(key.id);
  });

  test('has new rights after a change of its key', async () => {
    const { send, add } = checkOf();
    const { key, header } = newKey();
    add(key);
    await send(header);
    add({ ...key, scopes: new Set(['metrics']) });
    expect(send(header)).toMatchObject({ scopes: new Set(['metrics']) });
  });

  test('is refused from the expiry of its key on', async () => {
    const { send, add, state } = checkOf();
    const { key, header } = newKey({ expiresAtMs: nowSeconds * 1000 + hourMs });
    add(key);
    await send(header);
    state.nowMs += hourMs - 1;
    expect(await answerOf(send(header))).toBe(key.id);
    state.nowMs += 1;
    expect(await answerOf(send(header))).toBe('invalid_token');
  });

  test('is refused from the expiry of its token and the leeway on', async () => {
    const { send, state } = checkOf();
    const header = tokenHeader();
    await send(header);
    state.nowMs += 3_659_999;
    expect(await answerOf(send(header))).toBe(ada);
    state.nowMs += 1;
    expect(await answerOf(send(header))).toBe('invalid_token');
    expect(state.verifications).toBe(1);
  });

  test('gives a principal that knows until when its token is valid', async () => {
    const { send, state } = checkOf();
    const { isValidAt } = (await send(tokenHeader())) as Principal;
    expect([3_659_999, 3_660_000].map((ms) => isValidAt?.(state.nowMs + ms))).toEqual([
      true,
      false,
    ]);
    state.issuerKeys = new KeySet(2, []);
    expect(isValidAt?.(state.nowMs)).toBe(false);
  });

  test('is refused if its token is changed in one character', async () => {
    const { send } = checkOf();
    const header = tokenHeader();
    await send(header);
    const at = header.length - 20;
    const changed = header.slice(0, at) + (header[at] === 'A' ? 'B' : 'A') + header.slice(at + 1);
    expect(await answerOf(send(changed))).toBe('invalid_token');
    expect(await answerOf(send(header))).toBe(ada);
  });
});

describe('the keys of the issuer change', () => {
  test('a key that is gone takes its tokens along', async () => {
    const { send, state } = checkOf();
    const header = tokenHeader();
    await send(header);
    state.issuerKeys = await keySetOf(2, jwkOf(pairs.RS256), jwkOf(newPair('EdDSA')));
    expect(await answerOf(send(header))).toBe('invalid_token');
  });

  test('a token of a key that remains is not verified again', async () => {
    const { send, state } = checkOf();
    const header = tokenHeader();
    await send(header);
    const { keys } = state.issuerKeys;
    state.issuerKeys = new KeySet(2, keys.slice(2));
    expect(send(header)).toMatchObject({ id: ada });
    state.issuerKeys = new KeySet(3, keys.slice(0, 1));
    expect(await answerOf(send(header))).toBe('invalid_token');
    expect(state.verifications).toBe(1);
  });

  test('a token is not refused as invalid while no keys are known', async () => {
    const { send, state, refused } = checkOf();
    state.isReady = false;
    state.issuerKeys = await keySetOf(0);
    const result = await send(tokenHeader());
    expect(result).toMatchObject({
      error: { failure: { reason: 'overloaded', retryAfterSeconds: 30 } },
    });
    expect(refused).toEqual([]);
  });
});

describe('a token', () => {
  test('gives its principal', async () => {
    const { send } = checkOf();
    const claims = { scope: 'svc:read svc:admin', org: 5, more: {}, list: [1], flag: true };
    expect(await send(tokenHeader(claims))).toMatchObject({
      kind: 'token',
      id: ada,
      issuer: issuerUrl,
      scopes: new Set(['read', 'admin']),
      visibility: { policies: 'bypass' },
      expiresAtMs: (nowSeconds + 3600) * 1000,
    });
    const result = await send(tokenHeader({ org: 5, more: {}, list: [1], none: null, flag: true }));
    const { claims: found } = result as { claims: object };
    expect(Object.keys(found).sort()).toEqual(
      'aud client_id exp flag iat iss jti org scope sub'.split(' '),
    );
    expect('toString' in found).toBe(false);
  });

  test('with grants has neither the scope schema nor admin', async () => {
    const { send } = checkOf();
    const scope = 'svc:read svc:schema svc:metrics svc:admin';
    for (const grants of [['orders:read'], [], null, 'wrong']) {
      const result = await send(tokenHeader({ scope, svc_grants: grants }));
      expect(result).toMatchObject({
        scopes: new Set(['read', 'metrics']),
        visibility: { policies: 'enforce' },
      });
    }
  });

  test('with malformed grants permits no table', async () => {
    const { send } = checkOf();
    for (const grants of [null, 'orders:read', ['orders:read', 'orders:fly'], ['orders:delete']]) {
      const result = await send(tokenHeader({ svc_grants: grants }));
      expect(result).toMatchObject({ visibility: { grants: new Map() } });
    }
    const unrestricted = await send(tokenHeader());
    expect(unrestricted).toMatchObject({ visibility: { grants: undefined } });
  });

  test('grants tables by the names of the present catalog, also if it is cached', async () => {
    const { send, state } = checkOf();
    const header = tokenHeader({ svc_grants: ['orders:read'] });
    const tablesNow = async () => {
      const result = await send(header);
      const { visibility } = result as unknown as { visibility: { grants: Map<number, unknown> } };
      return [...visibility.grants.keys()];
    };
    expect(await tablesNow()).toEqual([7]);
    state.catalog = { bills: 7 };
    expect(await tablesNow()).toEqual([]);
    state.catalog = { bills: 7, orders: 8 };
    expect(await tablesNow()).toEqual([8]);
    expect(state.verifications).toBe(1);
  });

  test('is refused if tokens are not accepted', async () => {
    const { send } = checkOf({ withoutTokens: true });
    expect(await answerOf(send(tokenHeader()))).toBe('invalid_token');
  });

  test('that many requests contain at the same time is verified once', async () => {
    const { send, state } = checkOf();
    const header = tokenHeader();
    const results = await Promise.all(
      Array.from({ length: 1000 }, (_, i) => answerOf(send(header, `10.1.${i >> 8}.${i & 255}`))),
    );
    expect(new Set(results)).toEqual(new Set([ada]));
    expect(state.verifications).toBe(1);
    const wrong = await Promise.all(
      Array.from({ length: 5 }, () => answerOf(send(`${header}AAAA`))),
    );
    expect(new Set(wrong)).toEqual(new Set(['invalid_token']));
  });
});

describe('too many invalid tokens of an address', () => {
  const exhaust = async (send: ReturnType<typeof checkOf>['send']) => {
    for (let i = 0; i < 20; i++) {
      expect(await answerOf(send(`Bearer wrong${i}`))).toBe('invalid_token');
    }
  };

  test('are refused with the time to wait', async () => {
    const { send, state, refused } = checkOf();
    await exhaust(send);
    expect(await send('Bearer wrong')).toMatchObject({
      error: { failure: { reason: 'too_many_failures', retryAfterSeconds: 1 } },
    });
    expect(refused.at(-1)).toEqual({ reason: 'too_many_failures', address: client });
    // A flood costs no error for each request.
    expect(await send('Bearer other')).toBe(await send('Bearer another'));
    expect(await answerOf(send('Bearer wrong', '192.0.2.2'))).toBe('invalid_token');
    expect(await answerOf(send(newKey().header))).toBe('too_many_failures');
    state.nowMs += 1000;
    expect(await answerOf(send('Bearer wrong'))).toBe('invalid_token');
    expect(await answerOf(send('Bearer wrong'))).toBe('too_many_failures');
  });

  test('lock out neither a valid key nor a known token, but delay a new token', async () => {
    const { send, add, state } = checkOf();
    const { key, header } = newKey();
    add(key);
    const known = tokenHeader();
    await send(known);
    await exhaust(send);
    expect(await answerOf(send(header))).toBe(key.id);
    expect(await answerOf(send(known))).toBe(ada);
    expect(await answerOf(send(tokenHeader({ sub: 'eve' })))).toBe('too_many_failures');
    expect(state.verifications).toBe(1);
    state.nowMs += 1000;
    expect(await answerOf(send(tokenHeader({ sub: 'eve' })))).toBe(`${issuerUrl} eve`);
  });

  test('a request without a token does not count', async () => {
    const { send } = checkOf();
    await exhaust(send);
    expect(await answerOf(send(null))).toBe('missing_token');
  });
});

describe('verifications of new tokens', () => {
  test('are at most 500 at once for an address', async () => {
    const { send, refused, state } = checkOf();
    const answers: string[] = [];
    const header = tokenHeader();
    for (let i = 0; i < 501; i++) {
      state.issuerKeys = await keySetOf(0);
      state.isReady = false;
      answers.push((await answerOf(send(header))) as string);
    }
    expect(answers.every((answer) => answer === 'overloaded')).toBe(true);
    state.isReady = true;
    expect(await send(header)).toMatchObject({ error: { failure: { retryAfterSeconds: 1 } } });
    expect(refused).toEqual([]);
    expect(await answerOf(send(header, '192.0.2.2'))).toBe('invalid_token');
  });

  test('are at most 2,000 at once for all addresses', async () => {
    const { send, state } = checkOf();
    const header = tokenHeader();
    state.isReady = false;
    state.issuerKeys = await keySetOf(0);
    for (let i = 0; i < 2000; i++) await send(header, `10.0.${i >> 8}.${i & 255}`);
    state.isReady = true;
    expect(await send(header, '192.0.2.9')).toMatchObject({
      error: { failure: { reason: 'overloaded', retryAfterSeconds: 1 } },
    });
    state.nowMs += 1000;
    expect(await answerOf(send(header, '192.0.2.9'))).toBe('invalid_token');
  });

  test('run four at a time, in their order', async () => {
    const slots = new VerificationSlots();
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const works = Array.from({ length: 7 }, (_, i) =>
      slots
        .run(() => {
          started.push(i);
          return new Promise<number>((resolve, reject) => {
            ends.push(() => (i % 2 === 0 ? resolve(i) : reject(new Error(`${i}`))));
          });
        })
        .catch((error: Error) => error.message),
    );
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    await settle();
    expect(started).toEqual([0, 1, 2, 3]);
    ends[1]?.();
    await settle();
    expect(started).toEqual([0, 1, 2, 3, 4]);
    for (let i = 0; i < 7; i++) {
      ends[i]?.();
      await settle();
    }
    expect(await Promise.all(works)).toEqual([0, '1', 2, '3', 4, '5', 6]);
    expect(await slots.run(async () => 'free')).toBe('free');
  });
});
