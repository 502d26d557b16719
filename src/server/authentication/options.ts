/** `--auth*`: how clients of the server are identified (docs/security.md). */

import { resolve } from 'node:path';
import {
  defaultScopeNames,
  type KeyOrigin,
  type ScopeNames,
  type TokenAlgorithm,
  type TokenRules,
  tokenAlgorithms,
} from '#authentication';
import { type Option, oneOf, refusal } from '../option.ts';
import type { AuthMode } from '../security/exposure.ts';

export interface AuthenticationConfiguration {
  /** Whether `--auth` was set. A store with API keys opens without authentication only if it was. */
  readonly isSet: boolean;
  readonly acceptsKeys: boolean;
  /** `undefined`: the server accepts no tokens of an issuer. */
  readonly tokens: TokenConfiguration | undefined;
  /** Absolute path of the file with the first key. */
  readonly bootstrapKeyPath: string | undefined;
}

export interface TokenConfiguration {
  readonly rules: TokenRules;
  readonly origin: KeyOrigin;
  readonly scopeNames: ScopeNames;
  readonly grantsClaim: string;
}

type Read = (name: string) => Option;

const kinds: readonly AuthMode[] = ['keys', 'jwt'];

/** Options that have an effect only with `--auth jwt`. */
const tokenOptions = [
  'issuer',
  'audience',
  'jwks-file',
  'jwks-url',
  'profile',
  'algorithms',
  'query-scopes',
  'mutate-scopes',
  'catalog-scopes',
  'metrics-scopes',
  'admin-scopes',
  'grants-claim',
].map((name) => `auth-${name}`);

/** Throws a `RefusedOption`. */
export function authenticationOf(option: Read): AuthenticationConfiguration {
  const auth = option('auth');
  const chosen = kindsOf(auth);
  const bootstrap = option('auth-bootstrap-key-file');
  if (bootstrap.value !== undefined && !chosen.has('keys')) {
    throw refusal(bootstrap, 'only with --auth keys');
  }
  if (!chosen.has('jwt')) {
    const stray = tokenOptions.map(option).find(({ value }) => value !== undefined);
    if (stray !== undefined) throw refusal(stray, 'only with --auth jwt');
  }
  return {
    isSet: auth.value !== undefined,
    acceptsKeys: chosen.has('keys'),
    tokens: chosen.has('jwt') ? tokensOf(option) : undefined,
    bootstrapKeyPath: fileOf(bootstrap, 'a file with one API key'),
  };
}

/** Returns the kinds of credentials that the server accepts. Without any, it does not identify its clients. */
export function credentialKinds({
  acceptsKeys,
  tokens,
}: AuthenticationConfiguration): readonly AuthMode[] {
  return [...(acceptsKeys ? (['keys'] as const) : []), ...(tokens ? (['jwt'] as const) : [])];
}

function kindsOf(option: Option): ReadonlySet<AuthMode> {
  if (option.value === undefined || option.value === 'none') return new Set();
  const words = wordsOf(option);
  const known = words.filter((word): word is AuthMode =>
    (kinds as readonly string[]).includes(word),
  );
  if (words.length > 0 && known.length === words.length) return new Set(known);
  throw refusal(option, 'none, keys, jwt or keys,jwt');
}

function tokensOf(option: Read): TokenConfiguration {
  const issuer = textOf(option('auth-issuer'), 'the issuer of the tokens, as their claim iss');
  const audience = textOf(
    option('auth-audience'),
    'the audience of the tokens, as their claim aud',
  );
  const profile = oneOf(option('auth-profile'), ['rfc9068', 'compatible'], 'rfc9068');
  return {
    rules: { issuer, audience, profile, algorithms: algorithmsOf(option('auth-algorithms')) },
    origin: originOf(option, issuer),
    scopeNames: {
      read: namesOf(option('auth-query-scopes'), defaultScopeNames.read),
      write: namesOf(option('auth-mutate-scopes'), defaultScopeNames.write),
      schema: namesOf(option('auth-catalog-scopes'), defaultScopeNames.schema),
      metrics: namesOf(option('auth-metrics-scopes'), defaultScopeNames.metrics),
      admin: namesOf(option('auth-admin-scopes'), defaultScopeNames.admin),
    },
    grantsClaim: option('auth-grants-claim').value || 'svc_grants',
  };
}

function originOf(option: Read, issuer: string): KeyOrigin {
  const file = option('auth-jwks-file');
  const url = option('auth-jwks-url');
  if (file.value !== undefined && url.value !== undefined) {
    throw refusal(url, 'only one of --auth-jwks-file and --auth-jwks-url');
  }
  const path = fileOf(file, 'a file with the key set of the issuer');
  if (path !== undefined) return { kind: 'file', path };
  if (url.value !== undefined) {
    if (isHttps(url.value)) return { kind: 'url', url: url.value };
    throw refusal(url, 'an https:// URL of the key set');
  }
  if (isHttps(issuer)) return { kind: 'issuer', issuer };
  throw refusal(
    option('auth-issuer'),
    'an https:// URL, at which the metadata of the issuer are found, or --auth-jwks-file or --auth-jwks-url',
  );
}

function algorithmsOf(option: Option): ReadonlySet<TokenAlgorithm> {
  if (option.value === undefined) return new Set(tokenAlgorithms);
  const words = wordsOf(option);
  const known = tokenAlgorithms.filter((one) => words.includes(one));
  if (known.length > 0 && known.length === new Set(words).size) return new Set(known);
  throw refusal(option, `a list of ${tokenAlgorithms.join(', ')}`);
}

function namesOf(option: Option, otherwise: readonly string[]): readonly string[] {
  if (option.value === undefined) return otherwise;
  const words = wordsOf(option);
  if (words.length > 0 && words.every((word) => /^\S+$/.test(word))) return words;
  throw refusal(option, 'a list of scope names without spaces, separated by commas');
}

function wordsOf({ value = '' }: Option): readonly string[] {
  return value.split(',').map((word) => word.trim());
}

function textOf(option: Option, expected: string): string {
  if (option.value !== undefined && option.value !== '') return option.value;
  throw refusal(option, expected);
}

function fileOf(option: Option, expected: string): string | undefined {
  if (option.value === '') throw refusal(option, expected);
  return option.value === undefined ? undefined : resolve(option.value);
}

function isHttps(text: string): boolean {
  return text.startsWith('https://') && URL.canParse(text);
}
