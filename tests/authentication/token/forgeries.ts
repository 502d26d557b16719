/** Forged tokens: each is a valid token with one thing wrong. */

import { createHmac, createPublicKey } from 'node:crypto';
import type { TokenFault, TokenProfile } from '#authentication';
import {
  audience,
  type Bytes,
  claimsOf,
  encoded,
  headerOf,
  issuerUrl,
  type Members,
  newPair,
  nowSeconds,
  pairs,
  signatureOf,
  tokenOf,
  validToken,
} from './issuer.ts';

export interface Forgery {
  readonly name: string;
  readonly fault: TokenFault;
  readonly token: string;
  /** The profile for which it is made; `rfc9068` if absent. */
  readonly profile?: TokenProfile;
}

const rsa = pairs.RS256;
const stranger = newPair('RS256');
const day = 24 * 60 * 60;

/** A token whose header differs. */
const header = (name: string, fault: TokenFault, more: Members): Forgery => ({
  name,
  fault,
  token: tokenOf(headerOf('RS256', more), claimsOf(), rsa),
});

/** A token whose claims differ. */
const claims = (name: string, fault: TokenFault, more: Members): Forgery => ({
  name,
  fault,
  token: tokenOf(headerOf('RS256'), claimsOf(more), rsa),
});

const raw = (name: string, fault: TokenFault, head: Bytes, body: Bytes): Forgery => ({
  name,
  fault,
  token: tokenOf(head, body, rsa),
});

const text = (name: string, fault: TokenFault, token: string): Forgery => ({ name, fault, token });

const compatible = (forgery: Forgery): Forgery => ({ ...forgery, profile: 'compatible' });

const headText = JSON.stringify(headerOf('RS256'));
const bodyText = JSON.stringify(claimsOf());
const valid = validToken('RS256');
const [head = '', body = '', signature = ''] = valid.split('.');

function signedByHmac(secret: string | Buffer): string {
  const signed = `${encoded(headerOf('RS256', { alg: 'HS256' }))}.${body}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const pem = createPublicKey(rsa.publicKey.export({ format: 'pem', type: 'spki' }));

const forms: readonly Forgery[] = [
  text('empty', 'form', ''),
  text('one part', 'form', head),
  text('two parts', 'form', `${head}.${body}`),
  text('four parts', 'form', `${valid}.${signature}`),
  text('five parts, as encrypted tokens have', 'form', `${head}.${body}.${body}.${body}.${body}`),
  text('no signature', 'form', `${head}.${body}.`),
  text('no header', 'form', `.${body}.${signature}`),
  text('no claims', 'form', `${head}..${signature}`),
  text('padding', 'form', `${head}.${body}.${signature}=`),
  text('base64 in place of base64url', 'form', `${head}.${body}.${signature.slice(0, -2)}+/`),
  text('a line break', 'form', `${head}.${body}.\n${signature}`),
  text(
    'unused bits in the last character',
    'form',
    `${head}.${body}.${signature.slice(0, -1)}${lastWithBits(signature)}`,
  ),
  text('an incomplete group of base64url', 'form', `${head}.${body}.${signature}AAA`),
  text('longer than 8 KiB', 'form', validToken('RS256', { filler: 'x'.repeat(8192) })),
];

function lastWithBits(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(part.at(-1) as string) + 1] as string;
}

const parsing: readonly Forgery[] = [
  raw('header is an array', 'header', '[]', bodyText),
  raw('header is not JSON', 'header', `${headText}x`, bodyText),
  raw(
    'header is not UTF-8',
    'header',
    Buffer.from(headText.replace('at+', 'at\xff'), 'latin1'),
    bodyText,
  ),
  raw('byte order mark before the header', 'header', `\ufeff${headText}`, bodyText),
  raw('alg twice', 'header', headText.replace('{', '{"alg":"RS256",'), bodyText),
  raw(
    'kid twice, once escaped',
    'header',
    headText.replace('{', '{"\\u006bid":"rs256",'),
    bodyText,
  ),
  raw('claims are a text', 'claims', headText, '"claims"'),
  raw('claims are null', 'claims', headText, 'null'),
  raw(
    'claims are not UTF-8',
    'claims',
    headText,
    Buffer.from(bodyText.replace('ada', 'a\xe4'), 'latin1'),
  ),
  raw('sub twice', 'claims', headText, bodyText.replace('{', '{"sub":"eve",')),
  raw('sub twice, once escaped', 'claims', headText, bodyText.replace('{', '{"s\\u0075b":"eve",')),
  raw(
    'a member twice in an inner object',
    'claims',
    headText,
    bodyText.replace('{', '{"x":[{"a":1,"b":"}","a":2}],'),
  ),
  raw('claims with a comment', 'claims', headText, bodyText.replace('{', '{/**/')),
];

const headers: readonly Forgery[] = [
  ...['jku', 'jwk', 'x5u', 'x5c', 'zip'].map((name) =>
    header(`header contains ${name}`, 'header_member', { [name]: 'https://evil.example' }),
  ),
  header('header contains crit', 'header_member', { crit: ['exp'] }),
  header('header contains b64', 'header_member', { b64: true }),
  header('header contains an empty jwk', 'header_member', { jwk: null }),
  header('no alg', 'algorithm', { alg: undefined }),
  header('alg none', 'algorithm', { alg: 'none' }),
  header('alg None', 'algorithm', { alg: 'None' }),
  header('alg in lower case', 'algorithm', { alg: 'rs256' }),
  header('alg as an array', 'algorithm', { alg: ['RS256'] }),
  ...['PS256', 'RS384', 'RS512', 'ES384', 'ES256K', 'HS256', 'Ed25519', 'RS1'].map((alg) =>
    header(`alg ${alg}`, 'algorithm', { alg }),
  ),
  text(
    'HS256 by the public key as PEM',
    'algorithm',
    signedByHmac(pem.export({ format: 'pem', type: 'spki' })),
  ),
  text('HS256 by an empty secret', 'algorithm', signedByHmac('')),
  header('kid of a key of another type', 'algorithm', { kid: 'es256' }),
  {
    name: 'alg of another key than kid',
    fault: 'algorithm',
    token: tokenOf(headerOf('ES256', { kid: 'rs256' }), claimsOf(), pairs.ES256),
  },
  header('no kid', 'key_id', { kid: undefined }),
  header('kid null', 'key_id', { kid: null }),
  header('kid a number', 'key_id', { kid: 1 }),
  compatible(header('kid null for compatible issuers', 'key_id', { kid: null })),
  header('kid unknown', 'unknown_key', { kid: 'other' }),
  header('kid empty', 'unknown_key', { kid: '' }),
  header('kid with another letter case', 'unknown_key', { kid: 'RS256' }),
  header('no typ', 'type', { typ: undefined }),
  header('typ JWT', 'type', { typ: 'JWT' }),
  header('typ with more text', 'type', { typ: 'at+jwt2' }),
  header('typ of another application', 'type', { typ: 'x/at+jwt' }),
  header('typ as an array', 'type', { typ: ['at+jwt'] }),
  compatible(header('typ a number for compatible issuers', 'type', { typ: 1 })),
];

const times: readonly Forgery[] = [
  claims('no exp', 'expiry', { exp: undefined }),
  claims('exp as text', 'expiry', { exp: String(nowSeconds + 60) }),
  claims('exp null', 'expiry', { exp: null }),
  raw('exp infinite', 'expiry', headText, bodyText.replace(/"exp":\d+/, '"exp":1e999')),
  claims('expired', 'expired', { exp: nowSeconds - 60 }),
  claims('expired long ago', 'expired', { exp: 0 }),
  claims('exp more than 24 h after iat', 'lifetime', {
    iat: nowSeconds,
    exp: nowSeconds + day + 1,
  }),
  claims('exp in milliseconds', 'lifetime', { exp: (nowSeconds + 60) * 1000 }),
  claims('no iat', 'issued_at', { iat: undefined }),
  claims('iat as text', 'issued_at', { iat: String(nowSeconds) }),
  claims('iat null', 'issued_at', { iat: null }),
  compatible(claims('iat null for compatible issuers', 'issued_at', { iat: null })),
  claims('iat ahead', 'issued_later', { iat: nowSeconds + 61 }),
  compatible(
    claims('no iat, and exp in more than 24 h', 'lifetime', {
      iat: undefined,
      exp: nowSeconds + day + 61,
    }),
  ),
  claims('nbf ahead', 'not_yet_valid', { nbf: nowSeconds + 61 }),
  claims('nbf as text', 'not_before', { nbf: String(nowSeconds) }),
  claims('nbf null', 'not_before', { nbf: null }),
];

const names: readonly Forgery[] = [
  claims('no iss', 'issuer', { iss: undefined }),
  claims('iss of another issuer', 'issuer', { iss: 'https://evil.example/' }),
  claims('iss without the slash', 'issuer', { iss: issuerUrl.slice(0, -1) }),
  claims('iss with another letter case', 'issuer', { iss: issuerUrl.toUpperCase() }),
  claims('iss as an array', 'issuer', { iss: [issuerUrl] }),
  claims('no aud', 'audience', { aud: undefined }),
  claims('aud of another service', 'audience', { aud: 'https://other.example' }),
  claims('aud with more text', 'audience', { aud: `${audience}.evil.example` }),
  claims('aud as a part of a text', 'audience', { aud: `x ${audience} y` }),
  claims('aud empty', 'audience', { aud: [] }),
  claims('aud with a number', 'audience', { aud: [audience, 1] }),
  claims('aud in an inner array', 'audience', { aud: [[audience]] }),
  claims('aud as an object', 'audience', { aud: { 0: audience } }),
  claims('no sub', 'subject', { sub: undefined }),
  claims('sub empty', 'subject', { sub: '' }),
  claims('sub a number', 'subject', { sub: 1 }),
  claims('sub of 256 bytes', 'subject', { sub: 'ä'.repeat(128) }),
  raw('sub with half a character', 'subject', headText, bodyText.replace('ada', '\\ud800')),
  claims('no client_id', 'client_id', { client_id: undefined }),
  claims('client_id a number', 'client_id', { client_id: 1 }),
  claims('no jti', 'token_id', { jti: undefined }),
  claims('jti empty', 'token_id', { jti: '' }),
  compatible(claims('an ID token', 'other_token', { nonce: 'n' })),
  compatible(claims('an ID token with a hash', 'other_token', { at_hash: 'h' })),
  compatible(claims('an event token', 'other_token', { events: {} })),
];

const other = `${head}.${encoded(claimsOf({ sub: 'eve' }))}`;
const signatures: readonly Forgery[] = [
  text('claims of another user', 'signature', `${other}.${signature}`),
  text('signature of another token', 'signature', `${head}.${body}.${signatureOf(other, rsa)}`),
  text(
    'signature of a stranger',
    'signature',
    `${head}.${body}.${signatureOf(`${head}.${body}`, stranger)}`,
  ),
  text('signature of zeros', 'signature', `${head}.${body}.${encoded(new Uint8Array(256))}`),
  text('signature of one byte', 'signature', `${head}.${body}.AA`),
  text(
    'signature with one byte more',
    'signature',
    `${head}.${body}.${encoded(Buffer.concat([Buffer.from(signature, 'base64url'), Buffer.alloc(1)]))}`,
  ),
  text(
    'an ECDSA signature of zeros',
    'signature',
    `${encoded(headerOf('ES256'))}.${body}.${encoded(new Uint8Array(64))}`,
  ),
  text(
    'an Ed25519 signature of zeros',
    'signature',
    `${encoded(headerOf('EdDSA'))}.${body}.${encoded(new Uint8Array(64))}`,
  ),
  text('an ECDSA signature in DER', 'signature', derSigned()),
];

function derSigned(): string {
  const signed = `${encoded(headerOf('ES256'))}.${body}`;
  const [r, s] = halves(Buffer.from(signatureOf(signed, pairs.ES256), 'base64url'));
  const integers = [r, s].map((half) => Buffer.concat([Buffer.from([2, 33, 0]), half as Buffer]));
  return `${signed}.${encoded(Buffer.concat([Buffer.from([0x30, 70]), ...integers]))}`;
}

function halves(bytes: Buffer): readonly Buffer[] {
  return [bytes.subarray(0, 32), bytes.subarray(32)];
}

export const forgeries: readonly Forgery[] = [
  ...forms,
  ...parsing,
  ...headers,
  ...times,
  ...names,
  ...signatures,
];
