/** Where requests go, and how they are signed: the examples of AWS's own documentation. */

import { expect, test } from 'bun:test';
import { addressOf, encodeQuery, pathOf } from '../../src/storage/object/s3/address.ts';
import { signer } from '../../src/storage/object/s3/sign.ts';

const sign = signer(
  {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  'us-east-1',
);
const example = {
  method: 'GET',
  host: 'examplebucket.s3.amazonaws.com',
  path: '/',
  query: '',
  headers: {},
  bodyHash: Bun.SHA256.hash('', 'hex'),
};
const at = Date.UTC(2013, 4, 24);
const signatureOf = (request: Partial<Parameters<typeof sign>[0]>) =>
  sign({ ...example, ...request }, at)['authorization']?.split('Signature=')[1];

test('signatures are those of the documentation', () => {
  expect(signatureOf({ path: '/test.txt', headers: { range: 'bytes=0-9' } })).toBe(
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
  expect(signatureOf({ query: encodeQuery({ prefix: 'J', 'max-keys': '2' }) })).toBe(
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  );
  expect(signatureOf({ query: encodeQuery({ lifecycle: '' }) })).toBe(
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  );
  expect(
    signatureOf({
      method: 'PUT',
      path: '/test%24file.text',
      headers: {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      bodyHash: Bun.SHA256.hash('Welcome to Amazon S3.', 'hex'),
    }),
  ).toBe('98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd');
});

test('a token is sent and signed, and the next day has another key', () => {
  const keys = { accessKeyId: 'a', secretAccessKey: 'b' };
  const withToken = signer({ ...keys, sessionToken: 'token' }, 'here');
  const today = withToken(example, at);
  expect(today['x-amz-security-token']).toBe('token');
  expect(today['authorization']).toContain('x-amz-security-token');
  const tomorrow = withToken(example, at + 86_400_000);
  const fresh = signer({ ...keys, sessionToken: 'token' }, 'here')(example, at + 86_400_000);
  expect(tomorrow).toEqual(fresh);
  expect(withToken(example, at)).toEqual(today);
});

test('buckets of AWS are hosts, others are paths', () => {
  const place = { bucket: 'data', prefix: '/a/b/', region: 'eu-central-1', endpoint: undefined };
  expect(addressOf(place)).toEqual({
    origin: 'https://data.s3.eu-central-1.amazonaws.com',
    host: 'data.s3.eu-central-1.amazonaws.com',
    bucketPath: '',
    keyPrefix: 'a/b/',
  });
  expect(pathOf(addressOf(place), undefined)).toBe('/');
  expect(pathOf(addressOf(place), 'a/b/wal/1')).toBe('/a/b/wal/1');
  // No certificate covers two more levels.
  const dotted = addressOf({ ...place, bucket: 'my.data' });
  expect([dotted.host, pathOf(dotted, 'x')]).toEqual([
    's3.eu-central-1.amazonaws.com',
    '/my.data/x',
  ]);
  const own = addressOf({ ...place, prefix: '', endpoint: 'http://localhost:9000/base/' });
  expect([own.origin, own.keyPrefix]).toEqual(['http://localhost:9000', '']);
  expect(pathOf(own, undefined)).toBe('/base/data');
  expect(pathOf(own, "sst/odd +'ü")).toBe('/base/data/sst/odd%20%2B%27%C3%BC');
});
