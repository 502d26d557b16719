/** Reads a token and checks everything except its signature. */

import { parseBase64url } from './base64url.ts';
import { readClaims, type TokenClaims } from './claims.ts';
import { readHeader, type TokenHeader } from './header.ts';
import type { TokenFault, TokenRules } from './rules.ts';
import { parseStrictObject } from './strict-json.ts';

/** A token with correct header and claims. Anyone can write such a token: its signature has not been checked. */
export interface UnverifiedToken {
  readonly text: string;
  readonly header: TokenHeader;
  readonly claims: TokenClaims;
}

const tokenBytesMax = 8192;

export function readToken(
  text: string,
  rules: TokenRules,
  nowMs: number,
): UnverifiedToken | TokenFault {
  if (text.length > tokenBytesMax) return 'form';
  const parts = text.split('.').map(parseBase64url);
  const [headerBytes, claimsBytes, signature] = parts;
  if (parts.length !== 3 || !headerBytes || !claimsBytes || !signature) return 'form';
  const headerMembers = parseStrictObject(headerBytes);
  if (headerMembers === undefined) return 'header';
  const header = readHeader(headerMembers, rules);
  if (typeof header === 'string') return header;
  const members = parseStrictObject(claimsBytes);
  if (members === undefined) return 'claims';
  const claims = readClaims(members, rules, nowMs);
  return typeof claims === 'string' ? claims : { text, header, claims };
}
