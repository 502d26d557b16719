/** The S3 store against a real server. */

import { beforeAll, describe, expect, test } from 'bun:test';
import { S3Client } from 'bun';
import { equalBytes } from '#base';
import type { S3Options } from '../../src/storage/object/s3/options.ts';
import { s3Store } from '../../src/storage/object/s3/s3-store.ts';
import { bytes, objectStoreContract, text } from '../storage/object/contract.ts';
import { credentials, gatewayEndpoint, hasGateway, newBucket, startupMs } from './gateway.ts';

describe.skipIf(!hasGateway())('on Ceph RGW', () => {
  beforeAll(() => void gatewayEndpoint(), startupMs);

  objectStoreContract('s3', async () => s3Store(await newBucket()));

  const foreign = ({ bucket, endpoint }: S3Options): S3Client =>
    new S3Client({ ...credentials, bucket, endpoint: endpoint as string });

  test('another client finds what was put, under the prefix', async () => {
    const options = await newBucket();
    const name = "sst/odd +%&=?#'()*!~ü";
    await s3Store(options).put(name, bytes('content'));
    expect(await foreign(options).file(`some/where/${name}`).text()).toBe('content');
    await foreign(options).write(`some/where/${name}2`, 'other');
    await foreign(options).write('some/wherever', 'outside');
    expect(await s3Store(options).list('')).toEqual([
      { name, bytes: 7 },
      { name: `${name}2`, bytes: 5 },
    ]);
    expect(text(await s3Store(options).get(`${name}2`))).toBe('other');
    await s3Store(options).delete([name, `${name}2`]);
    expect(await s3Store(options).list('')).toEqual([]);
    expect(await foreign(options).file('some/wherever').text()).toBe('outside');
  });

  test('a large object comes back as it went', async () => {
    const store = s3Store(await newBucket());
    const body = Uint8Array.from({ length: (5 << 19) + 7 }, (_, i) => i % 251);
    await store.put('sst/large', [body.subarray(0, 1000), body.subarray(1000)]);
    expect(equalBytes((await store.get('sst/large')) as Uint8Array, body)).toBe(true);
    expect(await store.putIfAbsent('sst/larger', body)).toBe('committed');
  });

  test('lists and deletes more than a page', async () => {
    const store = s3Store(await newBucket());
    const names = Array.from({ length: 1010 }, (_, i) => `wal/${String(i).padStart(5, '0')}`);
    for (let at = 0; at < names.length; at += 64) {
      await Promise.all(names.slice(at, at + 64).map((name) => store.put(name, bytes(name))));
    }
    expect((await store.list('wal/')).map((head) => head.name)).toEqual(names);
    expect(await store.list('wal/', 'wal/00003')).toHaveLength(1006);
    expect(await store.list('wal/', names.at(-1))).toEqual([]);
    await store.delete(names.slice(1));
    expect(await store.list('wal/')).toEqual([{ name: 'wal/00000', bytes: 9 }]);
  }, 30_000);

  for (const [creators, rounds] of [
    [16, 10],
    [64, 5],
  ] as const) {
    test(`of ${creators} racing creators exactly one wins, each of ${rounds} rounds`, async () => {
      const store = s3Store(await newBucket());
      for (let round = 0; round < rounds; round++) {
        const outcomes = await Promise.all(
          Array.from({ length: creators }, (_, i) =>
            store.putIfAbsent(`manifest/${round}`, bytes(`creator ${i}`)),
          ),
        );
        expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(creators - 1);
        const winner = outcomes.indexOf('committed');
        expect(text(await store.get(`manifest/${round}`))).toBe(`creator ${winner}`);
      }
    }, 30_000);
  }

  test('a missing bucket and wrong credentials are told apart', async () => {
    const options = await newBucket();
    const trouble = (store: Partial<S3Options>) =>
      s3Store({ ...options, ...store })
        .list('')
        .then(
          () => 'none',
          (error) => error.fault,
        );
    expect(await trouble({ bucket: 'no-such-bucket' })).toEqual({
      kind: 'bucket_missing',
      bucket: 'no-such-bucket',
    });
    const secretAccessKey = 'wrong';
    expect(await trouble({ credentials: { ...credentials, secretAccessKey } })).toEqual({
      kind: 'unauthorized',
      operation: 'list',
      object: 'some/where/',
    });
    const nobody = { accessKeyId: 'nobody', secretAccessKey };
    expect(await trouble({ credentials: nobody })).toMatchObject({ kind: 'unauthorized' });
    expect(await trouble({})).toBe('none');
  });

  test('a body that is damaged on its way is refused', async () => {
    const options = await newBucket();
    const damaging = s3Store({
      ...options,
      transport: (url, init) => fetch(url, { ...init, body: bytes('damaged!') as never }),
    });
    const damaged = await damaging.put('sst/a', bytes('whole...')).catch((error) => error);
    expect(damaged.fault).toMatchObject({ operation: 'write', object: 'sst/a' });
    expect(await s3Store(options).get('sst/a')).toBeUndefined();
  });
});
