/** Checks the header of a token. */

import { isAlgorithm, type TokenAlgorithm, type TokenFault, type TokenRules } from './rules.ts';
import { type JsonObject, memberOf } from './strict-json.ts';

export interface TokenHeader {
  readonly algorithm: TokenAlgorithm;
  /** `undefined`: the header does not name a key, which only the profile `compatible` permits. */
  readonly keyId: string | undefined;
}

/** These members would choose the key, or change the bytes to verify. */
const refusedMembers = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'zip'];
const accessTokenType = /^(?:application\/)?at\+jwt$/i;

export function readHeader(header: JsonObject, rules: TokenRules): TokenHeader | TokenFault {
  if (refusedMembers.some((name) => Object.hasOwn(header, name))) return 'header_member';
  const algorithm = memberOf(header, 'alg');
  if (!isAlgorithm(algorithm) || !rules.algorithms.has(algorithm)) return 'algorithm';
  if (!isTypePermitted(memberOf(header, 'typ'), rules)) return 'type';
  const isNamed = Object.hasOwn(header, 'kid');
  const keyId = memberOf(header, 'kid');
  if (isNamed ? typeof keyId !== 'string' : rules.profile === 'rfc9068') return 'key_id';
  return { algorithm, keyId: keyId as string | undefined };
}

function isTypePermitted(type: unknown, { profile }: TokenRules): boolean {
  if (profile === 'compatible') return type === undefined || typeof type === 'string';
  return typeof type === 'string' && accessTokenType.test(type);
}
