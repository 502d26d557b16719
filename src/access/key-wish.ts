/** A request for a new key: its words, and the rights that they stand for. */

import { orDidYouMean } from '#base';
import { type Catalog, nameTrouble } from '#catalog';
import type { KeyRights } from './api-key.ts';
import type { Claims, PrincipalLimits } from './claims.ts';
import { parseDuration } from './duration.ts';
import { Findings } from './findings.ts';
import type { Grants } from './grant.ts';
import { parseGrants } from './grant-text.ts';
import { mayHoldKey } from './key-text.ts';
import { type Scopes, scopes } from './scope.ts';
import type { PolicyMode } from './visibility.ts';

/** A request for a key, as a user writes it. */
export interface KeyWish {
  readonly name: string;
  readonly scopes: readonly string[];
  /** If absent, the key applies to all tables. */
  readonly grants?: readonly string[] | undefined;
  readonly claims?: Claims | undefined;
  /** `enforce` if absent. */
  readonly policies?: string | undefined;
  /** A duration, or `never`; 90 days if absent. */
  readonly expires_in?: string | undefined;
  readonly limits?: LimitWishes | undefined;
}

export type LimitWishes = Readonly<Partial<Record<keyof typeof limitNames, number>>>;

/** The names of limits in requests, and in records. */
const limitNames = {
  rate: 'rate',
  concurrency: 'concurrency',
  deadline_ms: 'deadlineMs',
  memory_mib: 'memoryMib',
} as const satisfies Record<string, keyof PrincipalLimits>;

const lifeMsDefault = 90 * 86_400_000;
const limitMax = 2 ** 31 - 1;
const grantsMax = 1_000;
const claimsMax = 64;
const claimBytesMax = 1_024;

/** Returns the rights that the request describes. Throws a failure with all findings, each with its pointer into the request. */
export function readKeyWish(wish: KeyWish, catalog: Catalog): KeyRights {
  const findings = new Findings();
  checkName(wish.name, findings);
  const held = scopesOf(wish.scopes, findings);
  const grants = grantsOf(wish, held, catalog, findings);
  checkClaims(wish.claims ?? {}, findings);
  const policies = policiesOf(wish.policies, findings);
  const lifeMs = lifeOf(wish.expires_in, findings);
  const limits = limitsOf(wish.limits ?? {}, findings);
  findings.throwIfAny();
  return {
    name: wish.name,
    scopes: held,
    grants,
    policies,
    claims: { ...wish.claims },
    limits,
    ...(lifeMs !== undefined && { lifeMs }),
  };
}

/** Returns the limits of a key under their names in requests. */
export function limitWishes(limits: PrincipalLimits): LimitWishes {
  const entries = Object.entries(limitNames).flatMap(([name, member]) => {
    const value = limits[member];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

function checkName(name: string, findings: Findings): void {
  const trouble = nameTrouble(name);
  if (trouble !== undefined) findings.add(['name'], `invalid name of a key: ${trouble}`);
  if (mayHoldKey(name)) findings.add(['name'], 'the name of a key must not contain a key');
}

function scopesOf(words: readonly string[], findings: Findings): Scopes {
  if (words.length === 0) {
    findings.add(['scopes'], `a key needs at least one scope: ${scopes.join(', ')}`);
  }
  words.forEach((word, i) => {
    if (isScope(word)) return;
    const known = `expected ${scopes.join(', ')}${orDidYouMean(word, scopes)}`;
    findings.add(['scopes', i], `unknown scope${quoted(word)}: ${known}`);
  });
  return new Set(words.filter(isScope));
}

function isScope(word: string): word is (typeof scopes)[number] {
  return (scopes as readonly string[]).includes(word);
}

function grantsOf(
  { grants: texts }: KeyWish,
  held: Scopes,
  catalog: Catalog,
  findings: Findings,
): Grants {
  if (texts === undefined) return undefined;
  const wide = (['schema', 'admin'] as const).filter((scope) => held.has(scope));
  if (wide.length > 0) {
    const detail = `grants cannot be combined with the scope ${wide.join(' or ')}, which applies to all tables`;
    findings.add(['grants'], detail);
  }
  if (texts.length > grantsMax) {
    findings.add(['grants'], `a key has at most ${grantsMax} grants, these are ${texts.length}`);
    return [];
  }
  return parseGrants(texts, catalog, findings);
}

function checkClaims(claims: Claims, findings: Findings): void {
  const entries = Object.entries(claims);
  if (entries.length > claimsMax) {
    findings.add(['claims'], `a key has at most ${claimsMax} claims, these are ${entries.length}`);
  }
  for (const [name, value] of entries.slice(0, claimsMax)) {
    const trouble = nameTrouble(name) ?? keyTrouble(name) ?? valueTrouble(value);
    if (trouble !== undefined) findings.add(['claims', name], `invalid claim: ${trouble}`);
  }
}

function keyTrouble(text: string): string | undefined {
  return mayHoldKey(text) ? 'it must not contain a key' : undefined;
}

/** A number beyond 2^53 is a `bigint`, and some others are objects that keep their digits: both are refused. */
function valueTrouble(value: unknown): string | undefined {
  if (typeof value === 'boolean') return undefined;
  if (typeof value !== 'string') {
    const isExact =
      Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
    return isExact ? undefined : 'its number is not exact; write it as text';
  }
  if (!value.isWellFormed()) return 'it is not well-formed Unicode';
  const bytes = Buffer.byteLength(value);
  return bytes > claimBytesMax
    ? `it has ${bytes} bytes, at most ${claimBytesMax} are allowed`
    : keyTrouble(value);
}

function policiesOf(word: string | undefined, findings: Findings): PolicyMode {
  if (word === undefined || word === 'enforce') return 'enforce';
  if (word === 'bypass') return 'bypass';
  findings.add(['policies'], `expected enforce or bypass${quoted(word, ', got')}`);
  return 'enforce';
}

function lifeOf(text: string | undefined, findings: Findings): number | undefined {
  if (text === undefined) return lifeMsDefault;
  if (text === 'never') return undefined;
  const ms = parseDuration(text);
  if (ms === undefined) {
    findings.add(
      ['expires_in'],
      'invalid length of life: expected a duration such as 90s, 15m, 24h or 30d, or never',
    );
  }
  return ms;
}

function limitsOf(wishes: LimitWishes, findings: Findings): PrincipalLimits {
  const limits: Record<string, number> = {};
  for (const [name, member] of Object.entries(limitNames)) {
    const value = wishes[name as keyof typeof limitNames];
    if (value === undefined) continue;
    if (Number.isInteger(value) && value >= 1 && value <= limitMax) limits[member] = value;
    else findings.add(['limits', name], `expected an integer from 1 to ${limitMax}`);
  }
  return limits;
}

/** Quotes a word in a message, unless it may be a key. */
function quoted(word: string, before = ''): string {
  return mayHoldKey(word) ? '' : `${before} ${JSON.stringify(word)}`;
}
