/** `--auth` and the options of tokens. */

import { describe, expect, test } from 'bun:test';
import { readConfiguration } from '#server';

const of = (flags: Record<string, string>, env: Record<string, string> = {}) =>
  readConfiguration(flags, env).authentication;

const jwt = { auth: 'jwt', 'auth-issuer': 'https://a.example/', 'auth-audience': 'db' };

describe('--auth', () => {
  test('is none unless it is set, and knows whether it was', () => {
    expect(of({})).toMatchObject({ isSet: false, acceptsKeys: false, tokens: undefined });
    expect(of({ auth: 'none' })).toMatchObject({ isSet: true, acceptsKeys: false });
    expect(of({}, { SVC_AUTH: 'none' }).isSet).toBe(true);
  });

  test('is keys, tokens or both', () => {
    expect(of({ auth: 'keys' })).toMatchObject({ acceptsKeys: true, tokens: undefined });
    expect(of(jwt).acceptsKeys).toBe(false);
    expect(of({ ...jwt, auth: 'keys, jwt' }).acceptsKeys).toBe(true);
  });

  test.each(['', 'key', 'none,keys', 'keys,', 'jwt,basic'])('refuses %j', (auth) => {
    expect(() => of({ auth })).toThrow('expected none, keys, jwt or keys,jwt');
  });
});

describe('tokens', () => {
  test('have defaults', () => {
    const { tokens } = of(jwt);
    expect(tokens?.origin).toEqual({ kind: 'issuer', issuer: 'https://a.example/' });
    expect(tokens?.rules).toMatchObject({ profile: 'rfc9068', audience: 'db' });
    expect([...(tokens?.rules.algorithms ?? [])]).toEqual(['RS256', 'ES256', 'EdDSA']);
    expect(tokens?.scopeNames.read).toEqual(['svc:read']);
    expect(tokens?.grantsClaim).toBe('svc_grants');
  });

  test('have names of scopes, algorithms and a source of keys', () => {
    const more = {
      'auth-mutate-scopes': 'a, b:c',
      'auth-algorithms': 'EdDSA',
      'auth-jwks-file': '/k.json',
    };
    const { tokens } = of({ ...jwt, ...more });
    expect(tokens?.scopeNames.write).toEqual(['a', 'b:c']);
    expect([...(tokens?.rules.algorithms ?? [])]).toEqual(['EdDSA']);
    expect(tokens?.origin).toEqual({ kind: 'file', path: '/k.json' });
    const url = 'https://a.example/keys';
    expect(of({ ...jwt, 'auth-jwks-url': url }).tokens?.origin).toEqual({ kind: 'url', url });
  });

  const refused: readonly (readonly [Record<string, string>, string])[] = [
    [{ auth: 'jwt' }, '--auth-issuer'],
    [{ auth: 'jwt', 'auth-issuer': 'https://a/' }, '--auth-audience is not set'],
    [{ ...jwt, 'auth-issuer': 'a' }, 'https://'],
    [{ ...jwt, 'auth-jwks-url': 'http://a/keys' }, 'https://'],
    [{ ...jwt, 'auth-jwks-url': 'https://a/', 'auth-jwks-file': 'f' }, 'only one of'],
    [{ ...jwt, 'auth-algorithms': 'HS256' }, 'RS256'],
    [{ ...jwt, 'auth-algorithms': 'none' }, 'RS256'],
    [{ ...jwt, 'auth-profile': 'any' }, 'rfc9068'],
    [{ ...jwt, 'auth-query-scopes': 'a b' }, 'without spaces'],
    [{ ...jwt, 'auth-bootstrap-key-file': 'f' }, 'only with --auth keys'],
    [{ auth: 'keys', 'auth-issuer': 'https://a/' }, 'only with --auth jwt'],
    [{ 'auth-grants-claim': 'g' }, 'only with --auth jwt'],
  ];
  test.each(refused)('%j are refused', (flags, text) => {
    expect(() => of(flags)).toThrow(text);
  });
});
