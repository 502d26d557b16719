/** Everything that a server or a network may answer, against a server that does as it is told. */

import { afterEach, describe, expect, test } from 'bun:test';
import { systemWorld, type World } from '#base';
import { s3Store } from '../../src/storage/object/s3/s3-store.ts';
import type { ObjectStore } from '../../src/storage/object/store.ts';
import { bytes, text } from '../storage/object/contract.ts';
import { type FakeOptions, type FakeServer, startFakeServer, type Trick } from './fake-server.ts';

let server: FakeServer | undefined;
afterEach(() => server?.stop());

const limitMs = 3000;

/** Pauses are over at once; a time limit runs out when the server hangs, and at no other time. */
class HastyWorld implements World {
  readonly clock = systemWorld().clock;
  readonly random = { ...systemWorld().random, unit: () => 0.5 };
  readonly pauses: number[] = [];
  private readonly limits = new Set<() => void>();
  readonly scheduler = {
    ...systemWorld().scheduler,
    after: (delayMs: number, task: () => void) => {
      if (delayMs < limitMs) {
        this.pauses.push(delayMs);
        setImmediate(task);
      } else {
        this.limits.add(task);
      }
      return { cancel: () => void this.limits.delete(task) };
    },
  };

  expire(): void {
    for (const task of this.limits) task();
  }
}

async function storeOver(options: FakeOptions, world = new HastyWorld()): Promise<ObjectStore> {
  server = await startFakeServer({ ...options, hanging: () => world.expire() });
  return s3Store({
    bucket: 'bucket',
    prefix: '',
    region: 'nowhere-1',
    endpoint: server.endpoint,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    requestTimeoutMs: limitMs,
    world,
  });
}

/** The first requests get these answers, all others an honest one. */
const first =
  (...tricks: Trick[]) =>
  (_method: string, _path: string, count: number): Trick | undefined =>
    tricks[count - 1];
const always = (trick: Trick) => () => trick;
const answer = (status: number, code?: string): Trick => ({
  kind: 'answer',
  status,
  ...(code === undefined ? {} : { code }),
});

const troubleOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => value,
    (error) => error.fault ?? error,
  );

describe('creating', () => {
  const cases: readonly (readonly [
    what: string,
    tricks: readonly Trick[],
    outcome: string,
    requests: number,
  ])[] = [
    ['a server that does it', [], 'committed', 1],
    ['412', [answer(412, 'PreconditionFailed')], 'conflict', 1],
    ['409, then success', [answer(409, 'ConditionalRequestConflict')], 'committed', 2],
    ['409, then 412', [answer(409), answer(412)], 'unknown', 2],
    ['429, then success', [answer(429, 'TooManyRequests')], 'committed', 2],
    ['503 twice, then success', [answer(503, 'SlowDown'), answer(503)], 'committed', 3],
    ['503, then 412', [answer(503, 'SlowDown'), answer(412)], 'unknown', 2],
    ['503 without end', Array(9).fill(answer(503, 'SlowDown')), 'unknown', 4],
    ['500', [answer(500, 'InternalError')], 'unknown', 1],
    ['502', [answer(502)], 'unknown', 1],
    ['504', [answer(504)], 'unknown', 1],
    ['400 RequestTimeout', [answer(400, 'RequestTimeout')], 'unknown', 1],
    ['no answer', [{ kind: 'hang' }], 'unknown', 1],
    ['a reset connection', [{ kind: 'reset' }], 'unknown', 1],
    ['an effect without an answer', [{ kind: 'effect then reset' }], 'unknown', 1],
  ];
  for (const [what, tricks, outcome, requests] of cases) {
    test(`${what}: ${outcome}`, async () => {
      const store = await storeOver({ trick: first(...tricks) });
      expect<string>(await store.putIfAbsent('manifest/1', bytes('mine'))).toBe(outcome);
      expect(server?.requests).toHaveLength(requests);
    });
  }

  test('what the server will never do is an error', async () => {
    const denied = await storeOver({ trick: always(answer(403, 'AccessDenied')) });
    expect(await troubleOf(denied.putIfAbsent('manifest/1', bytes('mine')))).toEqual({
      kind: 'unauthorized',
      operation: 'create',
      object: 'manifest/1',
    });
    expect(server?.requests).toHaveLength(1);
    await server?.stop();
    const gone = await storeOver({ trick: always(answer(404, 'NoSuchBucket')) });
    expect(await troubleOf(gone.putIfAbsent('manifest/1', bytes('mine')))).toEqual({
      kind: 'bucket_missing',
      bucket: 'bucket',
    });
    await server?.stop();
    const unable = await storeOver({ trick: always(answer(501, 'NotImplemented')) });
    expect(await troubleOf(unable.putIfAbsent('manifest/1', bytes('mine')))).toMatchObject({
      kind: 'io',
    });
  });

  test('the transport sends twice by itself: then even a conflict may be with oneself', async () => {
    const store = await storeOver({
      trick: (method) =>
        method === 'PUT' && server?.requests.length === 2
          ? { kind: 'effect then reset' }
          : undefined,
    });
    // Opens the connection that the next request takes.
    await store.get('warm');
    expect(await store.putIfAbsent('manifest/1', bytes('mine'))).not.toBe('committed');
    expect(text(server?.objects.get('manifest/1'))).toBe('mine');
  });
});

describe('what may be sent again', () => {
  const passing: readonly (readonly [what: string, trick: Trick])[] = [
    ['500', answer(500, 'InternalError')],
    ['503', answer(503, 'SlowDown')],
    ['429', answer(429)],
    ['409', answer(409, 'OperationAborted')],
    ['no answer', { kind: 'hang' }],
    ['a reset connection', { kind: 'reset' }],
  ];
  for (const [what, trick] of passing) {
    test(`goes on after ${what}`, async () => {
      const store = await storeOver({
        trick: (_method, _path, count) => (count % 2 ? trick : undefined),
      });
      await store.put('sst/1', bytes('content'));
      expect(text(await store.get('sst/1'))).toBe('content');
      expect(await store.head('sst/1')).toEqual({ name: 'sst/1', bytes: 7 });
      expect(await store.list('sst/')).toEqual([{ name: 'sst/1', bytes: 7 }]);
      expect(text(await store.getRange('sst/1', 1, 3))).toBe('ont');
      await store.delete(['sst/1', 'sst/2']);
      expect(server?.objects.size).toBe(0);
    });

    test(`ends after four times ${what}`, async () => {
      const store = await storeOver({ trick: always(trick) });
      const error = await store.get('sst/1').catch((thrown) => thrown);
      expect(error.fault).toMatchObject({
        kind: 'unavailable',
        operation: 'read',
        object: 'sst/1',
      });
      expect(error.cause).toBeInstanceOf(Error);
    });
  }

  const tables: readonly (readonly [what: string, trick: Trick])[] = [
    ['503', answer(503, 'SlowDown')],
    ['no answer', { kind: 'hang' }],
    ['a reset connection', { kind: 'reset' }],
  ];
  for (const [what, trick] of tables) {
    test(`a table of many parts arrives whole after ${what}`, async () => {
      const store = await storeOver({ trick: first(trick) });
      const parts = Array.from({ length: 999 }, (_, i) => new Uint8Array(3000 + i).fill(i));
      await store.put('sst/1', parts);
      expect(server?.requests).toHaveLength(2);
      expect(Buffer.compare(Buffer.concat(parts), server?.objects.get('sst/1') as Buffer)).toBe(0);
    });
  }

  test('a large object that is created once has all its bytes, or is unknown', async () => {
    const body = new Uint8Array(5 << 20).map((_, i) => i % 251);
    const store = await storeOver({ trick: first({ kind: 'effect then reset' }) });
    expect(await store.putIfAbsent('wal/1', body)).toBe('unknown');
    expect(await store.putIfAbsent('wal/1', body)).toBe('conflict');
    expect(await store.putIfAbsent('wal/2', body)).toBe('committed');
    for (const name of ['wal/1', 'wal/2']) {
      expect(Buffer.compare(body, server?.objects.get(name) as Buffer)).toBe(0);
    }
  });

  test('a connection that nobody takes is unavailable', async () => {
    const store = await storeOver({});
    await server?.stop();
    expect(await troubleOf(store.list(''))).toEqual({
      kind: 'unavailable',
      operation: 'list',
      object: 'bucket',
      at: server?.endpoint,
    });
    expect(await store.putIfAbsent('manifest/1', bytes('mine'))).toBe('unknown');
  });

  test('pauses grow, longer for a server that asks for it, and never without end', async () => {
    const world = new HastyWorld();
    await troubleOf((await storeOver({ trick: always(answer(500)) }, world)).get('a'));
    await server?.stop();
    await troubleOf((await storeOver({ trick: always(answer(503)) }, world)).get('a'));
    expect(world.pauses).toEqual([38, 75, 150, 150, 300, 600]);
  });

  test('what is refused is not sent again', async () => {
    const store = await storeOver({ trick: always(answer(403, 'InvalidAccessKeyId')) });
    expect(await troubleOf(store.put('sst/1', bytes('x')))).toMatchObject({ kind: 'unauthorized' });
    expect(await troubleOf(Promise.resolve(store.head('sst/1')))).toMatchObject({
      kind: 'unauthorized',
    });
    expect(server?.requests).toHaveLength(2);
  });

  test('a bucket in another region is named', async () => {
    const xml = '<Error><Code>PermanentRedirect</Code><Region>eu-west-1</Region></Error>';
    const store = await storeOver({ trick: always({ kind: 'answer', status: 301, xml }) });
    const error = await store.list('').catch((thrown) => thrown);
    expect(error.fault.kind).toBe('io');
    expect(error.cause.message).toBe(
      'HTTP 301 PermanentRedirect (the bucket is in region eu-west-1)',
    );
  });
});

describe('answers that are not what they should be', () => {
  test('half a body is fetched again', async () => {
    const store = await storeOver({
      trick: (method, _path, count) =>
        method === 'GET' && count < 4 ? { kind: 'truncate' } : undefined,
    });
    server?.objects.set('sst/1', bytes('0123456789'));
    expect(text(await store.get('sst/1'))).toBe('0123456789');
    expect(server?.requests).toHaveLength(4);
  });

  test('half a body for ever is unavailable, never a short object', async () => {
    const store = await storeOver({ trick: always({ kind: 'truncate' }) });
    server?.objects.set('sst/1', bytes('0123456789'));
    expect(await troubleOf(store.get('sst/1'))).toMatchObject({ kind: 'unavailable' });
    expect(await troubleOf(store.getRange('sst/1', 0, 8))).toMatchObject({ kind: 'unavailable' });
  });

  test('a short body is noticed though the transport does not', async () => {
    const storeAnswering = (answer: () => Response) =>
      s3Store({
        bucket: 'bucket',
        prefix: '',
        region: 'nowhere-1',
        endpoint: 'http://localhost:1',
        credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
        world: new HastyWorld(),
        transport: async () => answer(),
      });
    const short = storeAnswering(
      () => new Response('01234', { headers: { 'content-length': '10' } }),
    );
    expect(await troubleOf(short.get('sst/1'))).toMatchObject({ kind: 'unavailable' });
    const ranges: readonly (readonly [range: string, body: string])[] = [
      ['bytes 0-7/10', '01234'],
      ['bytes 1-7/10', '12345678'],
      ['bytes 0-8/10', '01234567'],
      ['bytes 0-4/10', '01234'],
      ['bytes */10', '01234567'],
    ];
    for (const [range, body] of ranges) {
      const part = storeAnswering(
        () => new Response(body, { status: 206, headers: { 'content-range': range } }),
      );
      expect(await troubleOf(part.getRange('sst/1', 0, 8))).toMatchObject({ kind: 'unavailable' });
    }
    const whole = storeAnswering(
      () => new Response('01234', { status: 206, headers: { 'content-range': 'bytes 0-4/5' } }),
    );
    expect(text(await whole.getRange('sst/1', 0, 8))).toBe('01234');
  });

  test('a server that ignores ranges', async () => {
    const store = await storeOver({ ignoresRanges: true });
    await store.put('sst/1', bytes('abcdef'));
    expect(text(await store.getRange('sst/1', 2, 3))).toBe('cde');
    const target = new Uint8Array(4);
    expect(await (await store.openRead('sst/1')).readInto(4, target)).toBe(2);
  });

  test('an object of known length is opened without a request; the first read says that it is missing', async () => {
    const store = await storeOver({});
    await store.put('sst/1', bytes('abcdef'));
    const target = new Uint8Array(4);
    expect(await (await store.openRead('sst/1', 6)).readInto(4, target)).toBe(2);
    const absent = await store.openRead('sst/2', 6);
    expect(await troubleOf(Promise.resolve(absent.readInto(0, target)))).toEqual({
      kind: 'missing',
      object: 'sst/2',
    });
  });

  test('an object that is deleted under its reader', async () => {
    const store = await storeOver({});
    await store.put('sst/1', bytes('abcdef'));
    const reader = await store.openRead('sst/1');
    await store.delete(['sst/1']);
    expect(await troubleOf(Promise.resolve(reader.readInto(0, new Uint8Array(4))))).toEqual({
      kind: 'missing',
      object: 'sst/1',
    });
  });

  const lists: readonly (readonly [what: string, xml: string])[] = [
    ['no XML', 'certainly'],
    ['an empty body', ''],
    ['half a document', '<ListBucketResult><IsTruncated>false</IsTruncated>'],
    ['another document', '<Error><Code>Whatever</Code></Error>'],
    ['no word about further pages', '<ListBucketResult></ListBucketResult>'],
    [
      'a further page without a token',
      '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>',
    ],
    [
      'an object without a size',
      '<ListBucketResult><Contents><Key>a</Key></Contents><IsTruncated>false</IsTruncated></ListBucketResult>',
    ],
  ];
  for (const [what, xml] of lists) {
    test(`a list with ${what} is not believed`, async () => {
      const store = await storeOver({ trick: always({ kind: 'answer', status: 200, xml }) });
      expect(await troubleOf(store.list(''))).toMatchObject({ kind: 'unavailable' });
      await server?.stop();
      const healing = await storeOver({ trick: first({ kind: 'answer', status: 200, xml }) });
      server?.objects.set('sst/1', bytes('x'));
      expect(await healing.list('')).toEqual([{ name: 'sst/1', bytes: 1 }]);
    });
  }

  test('a list in no order is refused', async () => {
    const store = await storeOver({ listsBackwards: true });
    for (const name of ['a', 'b']) await store.put(name, bytes(name));
    expect(await troubleOf(store.list(''))).toMatchObject({ kind: 'unfit' });
  });

  const page = (token: string) =>
    `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken></ListBucketResult>`;

  test('pages on which everything has been deleted are passed over', async () => {
    const pages = [...'abcdefghij'].map(page);
    const store = await storeOver({
      trick: (_method, _path, count) => {
        const xml = pages[count - 1];
        return xml === undefined ? undefined : { kind: 'answer', status: 200, xml };
      },
    });
    server?.objects.set('sst/1', bytes('x'));
    expect(await store.list('')).toEqual([{ name: 'sst/1', bytes: 1 }]);
  });

  test('empty pages without end are refused', async () => {
    const endless = await storeOver({
      trick: (_method, _path, count) =>
        count > 5000 ? undefined : { kind: 'answer', status: 200, xml: page(String(count)) },
    });
    expect(await troubleOf(endless.list('wal/'))).toMatchObject({ kind: 'unfit' });
  });

  test('pages are put together', async () => {
    const store = await storeOver({ pageKeys: 3 });
    const names = [...'abcdefgh'];
    for (const name of names) await store.put(`sst/${name}`, bytes(name));
    expect((await store.list('sst/')).map((head) => head.name)).toEqual(
      names.map((name) => `sst/${name}`),
    );
    expect(await store.list('sst/', 'sst/f')).toHaveLength(2);
  });
});

describe('deleting', () => {
  test('a part that failed is deleted again', async () => {
    const xml =
      '<DeleteResult><Error><Key>a</Key><Code>InternalError</Code></Error></DeleteResult>';
    const store = await storeOver({
      trick: (method, _path, count) =>
        method === 'POST' && count === 3 ? { kind: 'answer', status: 200, xml } : undefined,
    });
    await store.put('a', bytes('a'));
    await store.put('b', bytes('b'));
    await store.delete(['a', 'b']);
    expect(server?.objects.size).toBe(0);
    expect(server?.requests).toHaveLength(4);
  });

  test('a part that is denied is an error', async () => {
    const xml = '<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code></Error></DeleteResult>';
    const store = await storeOver({ trick: always({ kind: 'answer', status: 200, xml }) });
    expect(await troubleOf(store.delete(['a', 'b']))).toEqual({
      kind: 'unauthorized',
      operation: 'delete',
      object: '2 objects from a on',
    });
  });

  test('a server without batches gets single requests', async () => {
    const store = await storeOver({ hasBatchDelete: false });
    const names = Array.from({ length: 40 }, (_, i) => `sst/${i}`);
    for (const name of names) server?.objects.set(name, bytes(name));
    await store.delete(names);
    expect(server?.objects.size).toBe(0);
  });
});
