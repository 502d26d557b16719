/** Addresses as users write them, and where requests then go. */

import { expect, test } from 'bun:test';
import { originOf } from '#client';

test.each([
  ['svc://db.example', 'http://db.example:7237'],
  ['svc://db.example:80', 'http://db.example:80'],
  ['svcs://db.example', 'https://db.example:7237'],
  ['http://db:1', 'http://db:1'],
  ['https://db:65535/', 'https://db:65535'],
  ['SVC://Db:00080', 'http://Db:00080'],
  ['svc://[::1]', 'http://[::1]:7237'],
  ['svc://[fe80::1]:9', 'http://[fe80::1]:9'],
])('%s is %s', (address, origin) => {
  const expected = origin.replace(':00080', ':80');
  expect(originOf(address)).toBe(expected);
});

test.each([
  'db.example',
  'ftp://db',
  'svc://',
  'svc://db:0',
  'svc://db:65536',
  'svc://db:123456',
  'svc://user@db',
  'svc://db/path',
  'svc://db?x=1',
  'svc://db#x',
  'svc://db:x',
  'svc://[::1',
  ' svc://db',
  'svc://d b',
  'svc://[:::1]',
  'svc://db%',
])('"%s" is refused, in words', (address) => {
  expect(() => originOf(address)).toThrow(`"${address}" is not a server address: expected svc://`);
});
