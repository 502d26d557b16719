/** Loopback hosts, however they are written. */

import { expect, test } from 'bun:test';
import { isLoopback } from '#base';

const loopback = [
  'localhost',
  'LOCALHOST',
  'LocalHost.',
  'app.localhost',
  'my_app.localhost',
  '127.0.0.1',
  '127.9.9.9',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '::0.0.0.1',
  '::ffff:127.0.0.1',
  '[::FFFF:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.255.0.9]',
];

const others = [
  '',
  '0.0.0.0',
  '::',
  '[::]',
  '10.0.0.1',
  '126.255.255.255',
  '128.1',
  '2130706432.1',
  '::2',
  '::127.0.0.1',
  '[::ffff:10.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[fe80::1]',
  'db',
  '127.example',
  '127.0.0.1.example',
  'localhost.example',
  'notlocalhost',
  'localhost..',
  // Parts of a URL are no part of a host.
  'user@localhost',
  'localhost/',
  'localhost#',
  'localhost:7237',
  '127.0.0.1:7237',
  'evil.example@127.0.0.1',
  'local%68ost',
  'local\thost',
  ' localhost',
  '\uff4cocalhost',
  '[::1',
  '::1]',
  '[localhost]',
];

test('loopback', () => {
  expect(loopback.filter((host) => !isLoopback(host))).toEqual([]);
});

test('everything else', () => {
  expect(others.filter(isLoopback)).toEqual([]);
});
