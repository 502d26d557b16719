/** The operator against an API server that is simulated: what becomes of a database, and what is left alone. */

import { expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { Controller } from '#operator';
import { unknownVariables } from '../../src/cli/serve/unknown-variables.ts';
import { FakeCluster } from './fake-cluster.ts';

const storage = (prefix: string, more: object = {}) => ({
  bucket: 'data',
  prefix,
  authentication: { credentialsSecretRef: { name: 'keys' } },
  ...more,
});
/** Without it, a database with authentication is refused. */
const proxied = { tls: { behindProxy: true } };
const keys = { AWS_ACCESS_KEY_ID: 'YQ==', AWS_SECRET_ACCESS_KEY: 'Yg==' };

interface Told {
  readonly event: string;
  readonly database?: string;
  readonly message?: string;
}

function operate(options: { namespace?: string } = {}) {
  const cluster = new FakeCluster();
  const told: Told[] = [];
  let unixMs = Date.parse('2026-05-01T10:00:00Z');
  const { scheduler, ...system } = systemWorld();
  const world = {
    ...system,
    clock: { unixMs: () => unixMs, monotonicMs: () => unixMs },
    // A pause is over in the next turn; limits of time, which are longer, are never reached.
    scheduler: {
      ...scheduler,
      yield: () => scheduler.yield(),
      afterTurn: (task: () => void) => scheduler.afterTurn(task),
      after: (ms: number, task: () => void) => {
        if (ms === 1000) setImmediate(task);
        return { cancel: () => {} };
      },
    },
  };
  const controller = new Controller({
    place: {
      origin: 'http://cluster',
      fetch: cluster.fetch,
      scheduler: world.scheduler,
      token: () => 'token',
      namespace: options.namespace,
    },
    world,
    image: 'svc:1',
    resyncSeconds: 60,
    tell: (_, event, fields) => told.push({ event, ...fields }),
  });
  const conditions = (name: string) =>
    Object.fromEntries(
      (cluster.database(name).status?.conditions ?? []).map(({ type, status, reason }) => [
        type,
        `${status} ${reason}`,
      ]),
    );
  const object = (key: string) => cluster.objects.get(key) as unknown as Deployment;
  return { cluster, controller, told, conditions, object, pass: (ms: number) => (unixMs += ms) };
}

interface Deployment {
  readonly metadata: {
    readonly labels: Record<string, string>;
    readonly ownerReferences: readonly { uid: string }[];
  };
  readonly spec: {
    readonly replicas: number;
    readonly strategy: { readonly type: string };
    readonly template: {
      readonly metadata: { readonly annotations: Record<string, string> };
      readonly spec: {
        readonly containers: readonly [
          {
            readonly image: string;
            readonly env: readonly { name: string; value: string }[];
            readonly [member: string]: unknown;
          },
        ];
        readonly [member: string]: unknown;
      };
    };
  };
}

const environmentOf = ({ spec }: Deployment) =>
  Object.fromEntries(spec.template.spec.containers[0].env.map(({ name, value }) => [name, value]));

test('a database becomes one writer, which is replaced, and readers, which are rolled', async () => {
  const { cluster, controller, conditions, object } = operate();
  cluster.secret('keys', keys);
  const { metadata } = cluster.create('shop', {
    ...proxied,
    storage: storage('shop'),
    readers: 2,
    telemetry: { endpoint: 'http://c:4318' },
  });
  expect(await controller.look()).toMatchObject({ areReady: false });
  expect(cluster.names('deployments')).toEqual(['shop-reader', 'shop-writer']);
  expect(cluster.names('services')).toEqual(['shop-reader', 'shop-writer']);
  expect(cluster.names('serviceaccounts')).toEqual(['shop']);
  expect(cluster.names('poddisruptionbudgets')).toEqual(['shop-reader']);
  const writer = object('deployments/default/shop-writer');
  const reader = object('deployments/default/shop-reader');
  expect([writer.spec.replicas, writer.spec.strategy.type]).toEqual([1, 'Recreate']);
  expect([reader.spec.replicas, reader.spec.strategy.type]).toEqual([2, 'RollingUpdate']);
  expect(writer.metadata.ownerReferences.map(({ uid }) => uid)).toEqual([metadata.uid]);
  expect([environmentOf(writer)['SVC_ROLE'], environmentOf(reader)['SVC_ROLE']]).toEqual([
    'write',
    'read',
  ]);
  expect(environmentOf(writer)).toMatchObject({
    SVC_S3_PREFIX: 'shop',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  });
  // The server knows each of these variables.
  expect(unknownVariables(environmentOf(writer))).toEqual([]);
  const [container] = writer.spec.template.spec.containers;
  expect(container).toMatchObject({
    image: 'svc:1',
    envFrom: [{ secretRef: { name: 'keys' } }],
    securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    startupProbe: { httpGet: { path: '/startupz' } },
    readinessProbe: { httpGet: { path: '/readyz' } },
    livenessProbe: { httpGet: { path: '/livez' } },
  });
  expect(conditions('shop')).toEqual({
    ClaimsAccepted: 'True Accepted',
    CredentialsReady: 'True Found',
    AuthenticationReady: 'True Keys',
    WorkloadReady: 'False NotReady',
    RouteReady: 'True None',
    Ready: 'False NotReady',
  });
  cluster.rollOut('shop-writer');
  cluster.rollOut('shop-reader');
  expect(await controller.look()).toMatchObject({ areReady: true });
  expect(conditions('shop')).toMatchObject({ WorkloadReady: 'True Ready', Ready: 'True Ready' });
  expect(cluster.database('shop').status).toMatchObject({
    observedGeneration: 1,
    writerServiceName: 'shop-writer',
    readerServiceName: 'shop-reader',
    adminKeySecretName: 'shop-admin-key',
    desiredReaders: 2,
    readyReaders: 2,
  });
});

test('what stays the same is not written again, and a condition keeps the time at which it turned', async () => {
  const { cluster, controller, pass } = operate();
  cluster.secret('keys', keys);
  cluster.create('shop', { ...proxied, storage: storage('shop') });
  await controller.look();
  const before = cluster.database('shop').status;
  pass(60_000);
  cluster.requests.length = 0;
  await controller.look();
  expect(cluster.requests.filter((request) => request.endsWith('/status'))).toEqual([]);
  cluster.rollOut('shop-writer');
  await controller.look();
  const times = (status: typeof before) =>
    Object.fromEntries(
      (status?.conditions ?? []).map(({ type, lastTransitionTime }) => [type, lastTransitionTime]),
    );
  expect(times(cluster.database('shop').status)).toEqual({
    ...times(before),
    WorkloadReady: '2026-05-01T10:01:00Z',
    Ready: '2026-05-01T10:01:00Z',
  });
});

test('nothing starts without credentials; other credentials roll the pods', async () => {
  const { cluster, controller, conditions, object } = operate();
  cluster.create('shop', { ...proxied, storage: storage('shop') });
  await controller.look();
  expect(cluster.names('deployments')).toEqual([]);
  expect(conditions('shop')).toMatchObject({
    CredentialsReady: 'False NoSecret',
    Ready: 'False NoSecret',
  });
  cluster.secret('keys', { AWS_ACCESS_KEY_ID: 'YQ==' });
  await controller.look();
  expect(conditions('shop')).toMatchObject({ CredentialsReady: 'False KeysMissing' });
  cluster.secret('keys', keys);
  await controller.look();
  const digest = () =>
    object('deployments/default/shop-writer').spec.template.metadata.annotations[
      'svc.dev/credentials'
    ];
  const first = digest();
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  await controller.look();
  expect(digest()).toBe(first as string);
  cluster.secret('keys', { ...keys, AWS_SECRET_ACCESS_KEY: 'Yw==' });
  await controller.look();
  expect(digest()).not.toBe(first as string);
  // What runs goes on when the secret is gone.
  cluster.objects.delete('secrets/default/keys');
  await controller.look();
  expect(cluster.names('deployments')).toEqual(['shop-writer']);
});

test('a changed section is another template, and so a rollout; a changed number of readers is none of the writer', async () => {
  const { cluster, controller, conditions, object } = operate();
  cluster.secret('keys', keys);
  cluster.create('shop', { ...proxied, storage: storage('shop'), readers: 1 });
  await controller.look();
  const template = () => JSON.stringify(object('deployments/default/shop-writer').spec.template);
  const first = template();
  cluster.change('shop', { readers: 3 });
  await controller.look();
  expect(object('deployments/default/shop-reader').spec.replicas).toBe(3);
  expect(template()).toBe(first);
  cluster.rollOut('shop-writer');
  cluster.rollOut('shop-reader');
  await controller.look();
  expect(conditions('shop')).toMatchObject({ Ready: 'True Ready' });
  cluster.change('shop', {
    telemetry: { traceSamplePercent: 1, diagnostics: 'detailed', metrics: false },
    relationCache: { sizeMiB: 64, entries: 10, maxResultSizeMiB: 4 },
  });
  await controller.look();
  expect(template()).not.toBe(first);
  expect(environmentOf(object('deployments/default/shop-writer'))).toMatchObject({
    SVC_DIAGNOSTICS: 'detailed',
    SVC_METRICS: 'false',
    SVC_RELATION_CACHE_SIZE_MIB: '64',
  });
  expect(template()).not.toContain('prometheus.io/scrape');
  // The old pods still serve.
  expect(conditions('shop')).toMatchObject({ Ready: 'False RollingOut' });
});

test('without readers and without a route nothing of them is left; what is somebody else’s is', async () => {
  const { cluster, controller, told } = operate();
  cluster.secret('keys', keys);
  const route = { hostname: 'shop.example', scheme: 'https', tlsSecretName: 'tls' };
  cluster.create('shop', { ...proxied, storage: storage('shop'), readers: 1, route });
  await controller.look();
  expect(cluster.names('ingresses')).toEqual(['shop']);
  expect(cluster.objects.get('ingresses/default/shop')?.spec).toMatchObject({
    tls: [{ hosts: ['shop.example'], secretName: 'tls' }],
  });
  cluster.change('shop', { readers: 0, route: undefined });
  await controller.look();
  expect(cluster.names('ingresses')).toEqual([]);
  expect(cluster.names('deployments')).toEqual(['shop-writer']);
  expect(cluster.names('poddisruptionbudgets')).toEqual([]);
  cluster.put(
    'deployments/default/shop-reader',
    { name: 'shop-reader', namespace: 'default' },
    { spec: { replicas: 7 } },
  );
  await controller.look();
  expect(cluster.names('deployments')).toEqual(['shop-reader', 'shop-writer']);
  cluster.change('shop', { readers: 1 });
  await controller.look();
  expect(cluster.objects.get('deployments/default/shop-reader')?.spec).toEqual({ replicas: 7 });
  expect(told.at(-1)?.message).toContain(
    'Deployment shop-reader exists and does not belong to this database',
  );
});

test('one place is that of one database: the older one has it', async () => {
  const { cluster, controller, conditions } = operate();
  cluster.secret('keys', keys);
  cluster.secret('keys', keys, 'other');
  const later = '2026-02-01T00:00:00Z';
  cluster.create('within', { ...proxied, storage: storage('shop/old') }, 'default', later);
  cluster.create('same', { ...proxied, storage: storage('/shop/') }, 'default', later);
  cluster.create('shop', { ...proxied, storage: storage('shop') }, 'other');
  cluster.create('beside', { ...proxied, storage: storage('shop2') }, 'default', later);
  cluster.create(
    'elsewhere',
    { ...proxied, storage: storage('shop', { endpoint: 'http://minio:9000', insecure: true }) },
    'default',
    later,
  );
  await controller.look();
  expect(cluster.names('deployments')).toEqual([
    'beside-writer',
    'elsewhere-writer',
    'shop-writer',
  ]);
  for (const name of ['within', 'same']) {
    expect(conditions(name)).toMatchObject({
      ClaimsAccepted: 'False PlaceTaken',
      Ready: 'False PlaceTaken',
    });
    expect(JSON.stringify(cluster.database(name).status)).toContain('other/shop');
  }
});

test('what the server would refuse at its start is told before a pod is made', async () => {
  const { cluster, controller, conditions } = operate();
  cluster.secret('keys', keys);
  cluster.create('shop', {
    ...proxied,
    storage: storage('shop'),
    store: { decodedCacheSizeMib: 1 },
  });
  await controller.look();
  expect(cluster.names('deployments')).toEqual([]);
  expect(conditions('shop')).toMatchObject({ WorkloadReady: 'False ConfigurationRefused' });
  expect(JSON.stringify(cluster.database('shop').status)).toContain('STORE_DECODED_CACHE_SIZE_MIB');
  cluster.change('shop', { store: { objectCacheSizeMib: 1024, objectCacheOnFlush: true } });
  await controller.look();
  const writer = cluster.objects.get('deployments/default/shop-writer');
  expect(JSON.stringify(writer)).toContain('"sizeLimit":"1280Mi"');
});

test('a database that fails keeps no other from its turn, and is tried again', async () => {
  const { cluster, controller, told } = operate();
  cluster.secret('keys', keys);
  cluster.create('a', { ...proxied, storage: storage('a') });
  cluster.create('b', { ...proxied, storage: storage('b') });
  cluster.trouble = (method, path) =>
    method === 'PATCH' && path.endsWith('/a-writer')
      ? Response.json({ message: 'etcd is slow' }, { status: 500 })
      : undefined;
  expect(await controller.look()).toMatchObject({ areReady: false });
  expect(cluster.names('deployments')).toEqual(['b-writer']);
  expect(told).toContainEqual(
    expect.objectContaining({
      event: 'operator.failed',
      database: 'default/a',
      message: expect.stringContaining('500 etcd is slow'),
    }),
  );
  cluster.trouble = undefined;
  await controller.look();
  expect(cluster.names('deployments')).toEqual(['a-writer', 'b-writer']);
});

test('the loop follows what changes, outlives an API server that fails, and ends when it is told to', async () => {
  const { cluster, controller, told } = operate({ namespace: 'default' });
  cluster.secret('keys', keys);
  let refusals = 1;
  cluster.trouble = () => (refusals-- > 0 ? new Response('gone', { status: 503 }) : undefined);
  const work = new AbortController();
  const running = controller.run(work.signal);
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  };
  await until(() => told.some(({ message }) => message?.includes('503') ?? false));
  // The next look comes after a pause; a database that is made meanwhile is found then.
  cluster.create('shop', { ...proxied, storage: storage('shop') });
  await until(() => cluster.names('deployments').includes('shop-writer'));
  cluster.change('shop', { readers: 1 });
  await until(() => cluster.names('deployments').includes('shop-reader'));
  work.abort();
  await running;
});

test('a resource that is not defined: the message says what to do', async () => {
  const { cluster, controller, told } = operate();
  cluster.trouble = () =>
    Response.json({ message: 'the server could not find the requested resource' }, { status: 404 });
  const work = new AbortController();
  const running = controller.run(work.signal);
  while (told.length === 0) await new Promise((resolve) => setImmediate(resolve));
  work.abort();
  await running;
  expect(told[0]?.message).toContain('svc operator --print-crd | kubectl apply -f -');
});
