/** Key sets: which keys are used, which are ignored, and which sets are refused. */

import { describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { KeySet, keySetBytesMax, parseKeys, RefusedKeySet } from '#authentication';
import { rejection } from '../../support/outcome.ts';
import { every, jwkOf, type Members, newPair, pairs, setOf } from './issuer.ts';

const rsa = jwkOf(pairs.RS256);
const ec = jwkOf(pairs.ES256);
const okp = jwkOf(pairs.EdDSA);

const idsOf = async (...keys: readonly Members[]) =>
  (await parseKeys(setOf(...keys), every, [])).map(({ id }) => id);

const exported = (pair: { publicKey: { export(options: { format: 'jwk' }): unknown } }) => ({
  ...(pair.publicKey.export({ format: 'jwk' }) as Members),
  kid: 'x',
});
const rsaOf = (modulusLength: number, publicExponent = 0x10001) =>
  exported(generateKeyPairSync('rsa', { modulusLength, publicExponent }));

test('keys of the three types are used', async () => {
  expect(await idsOf(rsa, ec, okp)).toEqual(['rs256', 'es256', 'eddsa']);
});

test('a key with its use, its operations and its algorithm is used', async () => {
  const stated = { use: 'sig', key_ops: ['verify'], x5c: ['AA'] };
  const keys = [
    { ...rsa, ...stated, alg: 'RS256' },
    { ...ec, ...stated, alg: 'ES256' },
    { ...okp, ...stated, alg: 'Ed25519' },
  ];
  expect(await idsOf(...keys)).toEqual(['rs256', 'es256', 'eddsa']);
});

describe('these keys are ignored', () => {
  const cases: readonly [string, () => Members][] = [
    ['for encryption', () => ({ ...rsa, use: 'enc' })],
    ['use is an array', () => ({ ...rsa, use: ['sig'] })],
    ['without the operation verify', () => ({ ...rsa, key_ops: ['encrypt'] })],
    ['operations are a text', () => ({ ...rsa, key_ops: 'verify' })],
    ['for another algorithm', () => ({ ...rsa, alg: 'PS256' })],
    ['algorithm is an array', () => ({ ...rsa, alg: ['RS256'] })],
    ['a secret', () => ({ kty: 'oct', kid: 'x', k: 'AAAA' })],
    ['of no type', () => ({ ...rsa, kty: undefined })],
    ['of a type that is a member of every object', () => ({ ...rsa, kty: 'constructor' })],
    ['P-384', () => exported(generateKeyPairSync('ec', { namedCurve: 'P-384' }))],
    ['secp256k1', () => ({ ...ec, crv: 'secp256k1' })],
    ['X25519', () => exported(generateKeyPairSync('x25519'))],
    ['RSA of 1,024 bits', () => rsaOf(1024)],
    ['RSA of 2,040 bits', () => rsaOf(2040)],
    [
      'RSA of more than 8,192 bits',
      () => ({ ...rsa, n: Buffer.alloc(1025, 255).toString('base64url') }),
    ],
    ['RSA with the exponent 1', () => ({ ...rsa, e: 'AQ' })],
    ['RSA with an even exponent', () => ({ ...rsa, e: 'Ag' })],
    ['RSA without an exponent', () => ({ ...rsa, e: undefined })],
    ['RSA with the modulus 0', () => ({ ...rsa, n: 'AAAA' })],
    [
      'RSA with zeros before a short modulus',
      () => ({
        ...rsa,
        n: Buffer.concat([Buffer.alloc(200), Buffer.alloc(128, 255)]).toString('base64url'),
      }),
    ],
    ['a point beside the curve', () => ({ ...ec, y: ec['x'] })],
    ['a coordinate is missing', () => ({ ...ec, y: undefined })],
    ['kid is a number', () => ({ ...rsa, kid: 1 })],
  ];
  test.each(cases)('%s', async (_, make) => {
    expect(await idsOf(make(), okp)).toEqual(['eddsa']);
  });
});

test('RSA of 8,192 bits is used', async () => {
  const n = Buffer.alloc(1024, 255).toString('base64url');
  expect(await idsOf({ ...rsa, n })).toEqual(['rs256']);
});

test('keys of algorithms that are not permitted are ignored', async () => {
  const keys = await parseKeys(setOf(rsa, ec), new Set(['ES256']), []);
  expect(keys.map(({ id }) => id)).toEqual(['es256']);
});

describe('these sets are refused', () => {
  const secret = pairs.EdDSA.privateKey.export({ format: 'jwk' }) as Members;
  const cases: readonly [string, Uint8Array, RegExp][] = [
    ['not JSON', Buffer.from('{'), /expected a JSON object/],
    ['a list', Buffer.from('[]'), /expected a JSON object/],
    ['no keys', Buffer.from('{}'), /expected a JSON object/],
    ['keys twice', Buffer.from('{"keys":[],"\\u006beys":[]}'), /expected a JSON object/],
    ['a key that is a text', Buffer.from('{"keys":["a"]}'), /of objects/],
    ['65 keys', setOf(...Array.from({ length: 65 }, (_, i) => ({ kid: String(i) }))), /64 keys/],
    ['too large', Buffer.concat([Buffer.alloc(keySetBytesMax, 32), setOf(rsa)]), /larger than/],
    ['one kid for two keys', setOf(rsa, { ...ec, kid: 'rs256' }), /the same kid/],
    ['the same key twice', setOf(rsa, rsa), /the same kid/],
    ['a private key', setOf({ ...secret, kid: 'x' }), /private key/],
    ['a private key for encryption', setOf({ ...secret, use: 'enc' }), /private key/],
    ['a private prime', setOf({ ...rsa, p: 'AA' }), /private key/],
  ];
  test.each(cases)('%s', async (_, bytes, problem) => {
    const error = await rejection(parseKeys(bytes, every, []));
    expect(error).toBeInstanceOf(RefusedKeySet);
    expect((error as Error).message).toMatch(problem);
  });
});

test('one kid for two keys is permitted if only one of them can be used', async () => {
  expect(await idsOf({ ...rsa, use: 'enc' }, { ...ec, kid: 'rs256' })).toEqual(['rs256']);
});

test('two keys may have no kid', async () => {
  expect(await idsOf({ ...rsa, kid: undefined }, { ...ec, kid: undefined })).toEqual([
    undefined,
    undefined,
  ]);
});

test('equal keys of two sets are the same object, a new key with an old kid is not', async () => {
  const first = await parseKeys(setOf(rsa, ec), every, []);
  const second = await parseKeys(
    setOf({ ...rsa, use: 'sig' }, jwkOf(newPair('ES256'))),
    every,
    first,
  );
  const set = new KeySet(1, second);
  expect(set.includes(first[0] as never)).toBe(true);
  expect(set.includes(first[1] as never)).toBe(false);
});
