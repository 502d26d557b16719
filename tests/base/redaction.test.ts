/** Redaction: no secret remains, everything else does, and JSON stays valid. */

import { describe, expect, test } from 'bun:test';
import { redact } from '#base';
import { seededRandom } from '../support/seeded-random.ts';

const apiKey = 'svck_0123456789AB_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg012345';
const header = Buffer.from('{"alg":"RS256"}').toString('base64url');
const claims = Buffer.from('{"sub":"canary"}').toString('base64url');
const jwt = `${header}.${claims}.c2lnbmF0dXJl-_c2ln`;
const awsId = 'AKIAIOSFODNN7EXAMPLE';
const awsSecret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const basic = Buffer.from('ada:a long password').toString('base64');

describe('a secret is removed', () => {
  test.each([
    ['API key', `key ${apiKey} x`, 'key [redacted] x'],
    ['API key in a path', `/auth/keys/${apiKey}/rotate`, '/auth/keys/[redacted]/rotate'],
    ['API key in an encoded URL', `/${apiKey.replaceAll('_', '%5F')}?`, '/[redacted]?'],
    ['API key of a wrong length', 'svck_abc', '[redacted]'],
    ['API key in capital letters', apiKey.toUpperCase(), '[redacted]'],
    ['JWT', `token ${jwt}, x`, 'token [redacted], x'],
    ['JWT without a signature', `${header}.${claims}.`, '[redacted]'],
    ['JWT without its last part', `${header}.${claims}`, '[redacted]'],
    ['JWT within a word', `x=1&t=${jwt}&u=1`, 'x=1&t=[redacted]&u=1'],
    ['JWT after an escape', `%20${jwt}`, '%20[redacted]'],
    ['encrypted JWT', `${header}.a.b.c.d`, '[redacted]'],
    ['AWS key id', `id ${awsId}.`, 'id [redacted].'],
    ['temporary AWS key id', 'ASIAIOSFODNN7EXAMPLE', '[redacted]'],
    ['AWS secret', `AWS_SECRET_ACCESS_KEY=${awsSecret} x`, 'AWS_SECRET_ACCESS_KEY=[redacted] x'],
    [
      'AWS secret in JSON',
      `{"secretAccessKey":"${awsSecret}"}`,
      '{"secretAccessKey":"[redacted]"}',
    ],
    ['AWS session token', `session_token: ${awsSecret}`, 'session_token: [redacted]'],
    [
      'AWS signature',
      'AWS4-HMAC-SHA256 Credential=AKIAX/2026/s3, SignedHeaders=host, Signature=abc"',
      '[redacted]"',
    ],
    ['header Authorization', `Authorization: Bearer ${apiKey}`, 'Authorization: [redacted]'],
    ['short header', 'authorization: Bearer abc', 'authorization: [redacted]'],
    ['header without a scheme', 'authorization=abc next=1', 'authorization=[redacted] next=1'],
    ['header of a proxy', `Proxy-Authorization: Basic ${basic}`, 'Proxy-Authorization: [redacted]'],
    [
      'header in JSON',
      '{"authorization":"Bearer abc","a":1}',
      '{"authorization":"[redacted]","a":1}',
    ],
    [
      'header in JSON in JSON',
      '{\\"authorization\\":\\"Bearer abc\\"}',
      '{\\"authorization\\":\\"[redacted]\\"}',
    ],
    ['scheme with a value', 'got bearer 0123456789abcdef!', 'got [redacted]!'],
    ['scheme with an escaped space', 'Basic%20YWRhOnBhc3N3b3Jk=x', '[redacted]'],
    ['query of a URL', 'https://h/x?access_token=abc y', 'https://h/x y'],
    ['fragment of a URL', 'https://h/x#access_token=abc', 'https://h/x'],
    ['query in JSON', '{"url":"http://h:1/x?a=1&b=2"}', '{"url":"http://h:1/x"}'],
    ['user of a URL', 'postgres://ada:secret@h/db', 'postgres://[redacted]@h/db'],
    ['user with a question mark', 'http://ada@h?x@y', 'http://[redacted]@h'],
    ['several', `${apiKey} ${jwt} ${awsId}`, '[redacted] [redacted] [redacted]'],
  ])('%s', (_, text, expected) => {
    expect(redact(text)).toBe(expected);
  });
});

describe('other texts remain', () => {
  test.each([
    'GET /execute 200',
    'eyJ is the beginning of a token',
    'eyJhbGciOiJSUzI1NiJ9',
    'svc.schema.yaml v1.2.3 a.b.c',
    'svck_',
    'basic authentication, bearer of news',
    '{"url":"http://127.0.0.1:7237/execute"}',
    's3://bucket/prefix',
    'file:///var/lib/svc',
    'ada@example.org',
    'the secret is not in this line',
    'AKIA',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

test('JSON stays valid, and no canary remains, wherever it is', () => {
  const random = seededRandom(3);
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  const around = [
    '',
    ' ',
    '"',
    "'",
    '\\',
    '\n',
    '\t',
    ', ',
    '=',
    ': ',
    '&',
    '?a=',
    '/',
    '%20',
    'ä',
    '(',
  ];
  const secrets = [apiKey, jwt, awsId, `Bearer ${basic}${basic}`, `authorization: ${apiKey}`];
  for (let i = 0; i < 5000; i++) {
    const text = `${pick(around)}${pick(around)}${pick(secrets)}${pick(around)}${pick(around)}x`;
    const line = redact(JSON.stringify({ a: text, b: JSON.stringify([text]), c: 1 }));
    expect(JSON.parse(line)).toMatchObject({ c: 1 });
    for (const part of [apiKey.slice(5), claims, awsId, basic]) {
      expect([line, line.includes(part)]).toEqual([line, false]);
    }
  }
});
