/** An issuer for tests. It signs any bytes as header and claims, with one key of each algorithm. */

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  type IssuerKeys,
  KeySet,
  parseKeys,
  type RunVerification,
  type TokenAlgorithm,
  type TokenProfile,
  type TokenRules,
  TokenVerifier,
  tokenAlgorithms,
} from '#authentication';

export const issuerUrl = 'https://issuer.example/';
export const audience = 'https://db.example';
/** The time of all tests, in seconds. */
export const nowSeconds = 1_700_000_000;

export interface Pair {
  readonly algorithm: TokenAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export type Members = Readonly<Record<string, unknown>>;

export function newPair(algorithm: TokenAlgorithm): Pair {
  const made = {
    RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    EdDSA: () => generateKeyPairSync('ed25519'),
  }[algorithm]();
  return { algorithm, ...made };
}

/** The keys of the issuer. The id of a key is its algorithm in lower case. */
export const pairs: Readonly<Record<TokenAlgorithm, Pair>> = {
  RS256: newPair('RS256'),
  ES256: newPair('ES256'),
  EdDSA: newPair('EdDSA'),
};

export function jwkOf({ publicKey, algorithm }: Pair, more: Members = {}): Members {
  return { ...publicKey.export({ format: 'jwk' }), kid: algorithm.toLowerCase(), ...more };
}

export function setOf(...keys: readonly Members[]): Uint8Array {
  return Buffer.from(JSON.stringify({ keys }));
}

export const every: ReadonlySet<TokenAlgorithm> = new Set(tokenAlgorithms);

export async function keySetOf(generation: number, ...keys: readonly Members[]): Promise<KeySet> {
  return new KeySet(generation, await parseKeys(setOf(...keys), every, []));
}

export const issuerKeys = await keySetOf(1, ...Object.values(pairs).map((pair) => jwkOf(pair)));

export function headerOf(algorithm: TokenAlgorithm, more: Members = {}): Members {
  return { typ: 'at+jwt', alg: algorithm, kid: algorithm.toLowerCase(), ...more };
}

export function claimsOf(more: Members = {}): Members {
  return {
    iss: issuerUrl,
    aud: audience,
    sub: 'ada',
    client_id: 'app',
    jti: 'a1',
    iat: nowSeconds - 10,
    exp: nowSeconds + 3600,
    scope: 'svc:read',
    ...more,
  };
}

export type Bytes = Members | string | Uint8Array;

export function encoded(part: Bytes): string {
  const isRaw = typeof part === 'string' || part instanceof Uint8Array;
  return Buffer.from(isRaw ? (part as string) : JSON.stringify(part)).toString('base64url');
}

export function signatureOf(text: string, { algorithm, privateKey }: Pair): string {
  const digest = algorithm === 'EdDSA' ? null : 'sha256';
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const };
  return sign(digest, Buffer.from(text), key).toString('base64url');
}

/** Returns a token with these parts, and with a correct signature. A text is used unchanged. */
export function tokenOf(header: Bytes, claims: Bytes, pair: Pair): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${signatureOf(text, pair)}`;
}

export function validToken(algorithm: TokenAlgorithm, more: Members = {}): string {
  return tokenOf(headerOf(algorithm), claimsOf(more), pairs[algorithm]);
}

export function rulesOf(profile: TokenProfile, algorithms = every): TokenRules {
  return { issuer: issuerUrl, audience, algorithms, profile };
}

export function fixedKeys(current: KeySet): IssuerKeys {
  return { current, isReady: true, refresh: () => Promise.resolve() };
}

export function verifierOf(
  rules: TokenRules = rulesOf('rfc9068'),
  keys: IssuerKeys = fixedKeys(issuerKeys),
  run: RunVerification = (work) => work(),
): TokenVerifier {
  const clock = { unixMs: () => nowSeconds * 1000 };
  return new TokenVerifier({ rules, keys, clock, run });
}
