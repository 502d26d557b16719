/** Checks the claims of a token, before its signature. Times are Unix times in seconds, as in the token. */

import type { TokenFault, TokenRules } from './rules.ts';
import { type JsonObject, memberOf } from './strict-json.ts';

export interface TokenClaims {
  readonly subject: string;
  /** The token is refused from this time on, which includes the leeway. */
  readonly refusedFromMs: number;
  /** The time that the token contains. */
  readonly expiresAtMs: number;
  readonly members: JsonObject;
}

/** Permitted difference between the clocks of the issuer and of this machine. */
const leewaySeconds = 60;
const lifetimeMaxSeconds = 24 * 60 * 60;
const subjectBytesMax = 255;
/** Claims of ID tokens, and of security events. */
const otherTokenMembers = ['nonce', 'at_hash', 'events'];

type Check = (claims: JsonObject, rules: TokenRules, nowSeconds: number) => TokenFault | undefined;

const checks: readonly Check[] = [
  checkIssuer,
  checkAudience,
  checkExpiry,
  checkIssuedAt,
  checkNotBefore,
  checkSubject,
  checkProfile,
];

export function readClaims(
  claims: JsonObject,
  rules: TokenRules,
  nowMs: number,
): TokenClaims | TokenFault {
  for (const check of checks) {
    const fault = check(claims, rules, nowMs / 1000);
    if (fault !== undefined) return fault;
  }
  const expirySeconds = memberOf(claims, 'exp') as number;
  return {
    subject: memberOf(claims, 'sub') as string,
    refusedFromMs: (expirySeconds + leewaySeconds) * 1000,
    expiresAtMs: expirySeconds * 1000,
    members: claims,
  };
}

function checkIssuer(claims: JsonObject, { issuer }: TokenRules): TokenFault | undefined {
  return memberOf(claims, 'iss') === issuer ? undefined : 'issuer';
}

function checkAudience(claims: JsonObject, rules: TokenRules): TokenFault | undefined {
  const audience = memberOf(claims, 'aud');
  const names: readonly unknown[] = Array.isArray(audience) ? audience : [audience];
  const isPermitted =
    names.every((name) => typeof name === 'string') && names.includes(rules.audience);
  return isPermitted ? undefined : 'audience';
}

function checkExpiry(claims: JsonObject, _: TokenRules, now: number): TokenFault | undefined {
  const expiry = memberOf(claims, 'exp');
  if (!isTime(expiry)) return 'expiry';
  return now < expiry + leewaySeconds ? undefined : 'expired';
}

/** Also checks the lifetime. Without a time of issue, it counts from now. */
function checkIssuedAt(
  claims: JsonObject,
  { profile }: TokenRules,
  now: number,
): TokenFault | undefined {
  const expiry = memberOf(claims, 'exp') as number;
  const issuedAt = memberOf(claims, 'iat');
  if (!Object.hasOwn(claims, 'iat')) {
    if (profile === 'rfc9068') return 'issued_at';
    return expiry <= now + lifetimeMaxSeconds + leewaySeconds ? undefined : 'lifetime';
  }
  if (!isTime(issuedAt)) return 'issued_at';
  if (issuedAt > now + leewaySeconds) return 'issued_later';
  return expiry <= issuedAt + lifetimeMaxSeconds ? undefined : 'lifetime';
}

function checkNotBefore(claims: JsonObject, _: TokenRules, now: number): TokenFault | undefined {
  if (!Object.hasOwn(claims, 'nbf')) return undefined;
  const notBefore = memberOf(claims, 'nbf');
  if (!isTime(notBefore)) return 'not_before';
  return notBefore <= now + leewaySeconds ? undefined : 'not_yet_valid';
}

/** Ill-formed text is refused, because two of them can have the same bytes. */
function checkSubject(claims: JsonObject): TokenFault | undefined {
  const subject = memberOf(claims, 'sub');
  if (!isFilledText(subject) || !subject.isWellFormed()) return 'subject';
  return Buffer.byteLength(subject) <= subjectBytesMax ? undefined : 'subject';
}

function checkProfile(claims: JsonObject, { profile }: TokenRules): TokenFault | undefined {
  if (profile === 'compatible') {
    const isOther = otherTokenMembers.some((name) => Object.hasOwn(claims, name));
    return isOther ? 'other_token' : undefined;
  }
  if (!isFilledText(memberOf(claims, 'client_id'))) return 'client_id';
  return isFilledText(memberOf(claims, 'jti')) ? undefined : 'token_id';
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
