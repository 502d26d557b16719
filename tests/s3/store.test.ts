/** The whole store in a bucket, in this process: what it writes is there again, and its requests are counted. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { openStore } from '#storage';
import { bytes, text } from '../storage/object/contract.ts';
import { startFakeServer } from './fake-server.ts';

test('a store in a bucket finds what it committed, and counts its requests', async () => {
  const server = await startFakeServer();
  const open = () =>
    openStore({
      storage: 's3',
      s3: {
        bucket: 'bucket',
        prefix: 'a/b',
        region: 'nowhere-1',
        endpoint: server.endpoint,
        credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
      },
      world: systemWorld(),
    });
  const first = await open();
  const transaction = first.begin();
  transaction.put(bytes('key'), bytes('value'));
  const outcome = await transaction.commit();
  transaction.release();
  expect(outcome.kind).toBe('committed');
  await first.durable(first.snapshot().sequence);
  const { write, list, range_read } = first.statistics().objects ?? {};
  // Probe twice, claim, fence, the trace that the place was opened, log.
  expect(write).toMatchObject({ requests: 6, errors: 0, active: 0 });
  expect(list?.requests).toBeGreaterThan(1);
  expect(range_read?.requests).toBe(0);
  await first.close();
  expect([...server.objects.keys()].every((key) => key.startsWith('a/b/'))).toBe(true);
  const second = await open();
  const view = second.snapshot();
  const found = await view.get(bytes('key'));
  expect(text(found ?? undefined)).toBe('value');
  view.release();
  await second.close();
  await server.stop();
});
