/** How the operator lets pods identify their clients: the first key, certificates, tokens, and databases from before. */

import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idOfKey } from '#access';
import { systemWorld } from '#base';
import { Controller } from '#operator';
import { unknownVariables } from '../../src/cli/serve/unknown-variables.ts';
import { startServerProcess } from '../support/server-process.ts';
import { FakeCluster } from './fake-cluster.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-operator-'));
afterAll(() => rmSync(home, { recursive: true }));

const storage = { bucket: 'data', authentication: { serviceAccountName: 'pods' } };
const proxied = { behindProxy: true };

interface Pod {
  readonly containers: readonly [
    {
      readonly env: readonly { readonly name: string; readonly value?: string }[];
      readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
      readonly [probe: `${string}Probe`]: { readonly httpGet: object };
    },
  ];
  readonly volumes: readonly { readonly name: string; readonly secret?: object }[];
}

function operate() {
  const cluster = new FakeCluster();
  const world = systemWorld();
  const place = {
    origin: 'http://cluster',
    fetch: cluster.fetch,
    scheduler: world.scheduler,
    token: () => 'token',
    namespace: undefined,
  };
  const told: object[] = [];
  const tell = (_: string, event: string, fields: object) => told.push({ event, ...fields });
  const controller = new Controller({ place, world, image: 'svc:1', resyncSeconds: 60, tell });
  const pod = (name: string): Pod => {
    const found = cluster.objects.get(`deployments/default/${name}`)?.spec as {
      template: { spec: Pod };
    };
    return found.template.spec;
  };
  return {
    cluster,
    told,
    look: () => controller.look(),
    condition: (type = 'AuthenticationReady') => {
      const found = cluster.database('shop').status?.conditions?.find((one) => one.type === type);
      return `${found?.status} ${found?.reason}`;
    },
    pod,
    environment: (name: string) =>
      Object.fromEntries(pod(name).containers[0].env.map((one) => [one.name, one.value])),
    secrets: (name: string) =>
      pod(name)
        .volumes.filter(({ secret }) => secret !== undefined)
        .map(({ secret }) => secret),
  };
}

function keyIn(cluster: FakeCluster): string {
  const { data } = cluster.objects.get('secrets/default/shop-admin-key') ?? {};
  return Buffer.from(data?.['key'] ?? '', 'base64').toString();
}

const adminKey = (name: string) => ({
  secretName: name,
  defaultMode: 0o440,
  items: [{ key: 'key', path: 'key' }],
});

test('a new database gets its first key once, in a secret that outlives it; readers have the same authentication', async () => {
  const { cluster, told, look, condition, environment, secrets, pod } = operate();
  cluster.create('shop', { storage, tls: proxied, readers: 1 });
  await look();
  const key = keyIn(cluster);
  expect(idOfKey(key)).toBeString();
  // The key is in the secret only: not in the log, not in the status, and in no pod.
  const { objects } = cluster;
  const others = [...objects].filter(([name]) => !name.startsWith('secrets/'));
  for (const text of [key, Buffer.from(key).toString('base64')])
    expect(JSON.stringify([told, others])).not.toContain(text);
  const { metadata } = cluster.objects.get('secrets/default/shop-admin-key') ?? {};
  expect(metadata).not.toHaveProperty('ownerReferences');
  expect(condition()).toBe('True Keys');
  expect(cluster.database('shop').status).toMatchObject({ adminKeySecretName: 'shop-admin-key' });
  expect(environment('shop-writer')).toMatchObject({
    SVC_AUTH: 'keys',
    SVC_AUTH_BOOTSTRAP_KEY_FILE: '/keys/admin/key',
    SVC_BEHIND_TLS_PROXY: 'true',
  });
  expect(secrets('shop-writer')).toEqual([adminKey('shop-admin-key')]);
  expect(pod('shop-writer').containers[0].volumeMounts).toContainEqual(
    expect.objectContaining({ name: 'admin-key', mountPath: '/keys/admin', readOnly: true }),
  );
  // Only the writer can create a key.
  expect(secrets('shop-reader')).toEqual([]);
  const reader = environment('shop-reader');
  expect(reader).toMatchObject({ SVC_AUTH: 'keys', SVC_BEHIND_TLS_PROXY: 'true' });
  expect(reader).not.toHaveProperty('SVC_AUTH_BOOTSTRAP_KEY_FILE');
  for (const name of ['shop-writer', 'shop-reader']) {
    expect(environment(name)).not.toHaveProperty('SVC_INSECURE');
    expect(unknownVariables(environment(name) as Record<string, string>)).toEqual([]);
  }
  await look();
  expect(keyIn(cluster)).toBe(key);
});

test('a server accepts the key of the secret as that of an administrator', async () => {
  const { cluster, look, environment } = operate();
  cluster.create('shop', { storage, tls: proxied });
  await look();
  const file = join(home, 'key');
  writeFileSync(file, keyIn(cluster), { mode: 0o440 });
  const named = Object.entries(environment('shop-writer')).filter(([name]) =>
    /AUTH|TLS/.test(name),
  );
  const env = { ...Object.fromEntries(named), SVC_AUTH_BOOTSTRAP_KEY_FILE: file };
  const server = await startServerProcess(['--storage', 'memory'], { env });
  try {
    const headers = { authorization: `Bearer ${keyIn(cluster)}` };
    const self = await fetch(`${server.url}/auth/self`, { headers });
    expect(await self.json()).toMatchObject({ kind: 'key', scopes: ['admin'] });
    expect((await fetch(`${server.url}/auth/self`)).status).toBe(401);
  } finally {
    server.kill('SIGKILL');
    await server.exited;
  }
});

test('an existing secret is used and never changed; without a key in it nothing starts', async () => {
  const { cluster, look, condition } = operate();
  cluster.secret('shop-admin-key', { key: 'bm8ga2V5' });
  cluster.create('shop', { storage, tls: proxied });
  await look();
  expect(condition()).toBe('False KeyMissing');
  expect(cluster.names('deployments')).toEqual([]);
  cluster.objects.delete('secrets/default/shop-admin-key');
  await look();
  const key = keyIn(cluster);
  expect([condition(), cluster.names('deployments')]).toEqual(['True Keys', ['shop-writer']]);
  // The next database of this name is in the same bucket, which contains the key.
  cluster.objects.delete('databases/default/shop');
  cluster.create('shop', { storage, tls: proxied });
  await look();
  expect(keyIn(cluster)).toBe(key);
});

test('of two operators that create the first key, the second takes that of the first', async () => {
  const { cluster, look, condition } = operate();
  cluster.create('shop', { storage, tls: proxied });
  cluster.trouble = (method) => {
    if (method === 'POST') cluster.secret('shop-admin-key', { key: 'bm8ga2V5' });
    return undefined;
  };
  await look();
  expect(keyIn(cluster)).toBe('no key');
  expect(condition()).toBe('False KeyMissing');
});

test('keys and tokens travel only by TLS: without a decision nothing starts', async () => {
  const { cluster, look, condition } = operate();
  cluster.create('shop', { storage });
  await look();
  expect([condition(), condition('Ready')]).toEqual(['False NoTls', 'False NoTls']);
  const route = { hostname: 'shop.example', scheme: 'http' };
  cluster.change('shop', { tls: proxied, route });
  await look();
  expect(condition()).toBe('False NoTls');
  expect([cluster.names('deployments'), cluster.names('secrets')]).toEqual([[], []]);
  cluster.change('shop', { route: { ...route, scheme: 'https' } });
  await look();
  expect(condition()).toBe('True Keys');
});

test('a certificate is mounted, and probes and scrapes use HTTPS', async () => {
  const { cluster, look, condition, environment, secrets, pod } = operate();
  cluster.create('shop', { storage, tls: { secretName: 'shop-tls' }, readers: 1 });
  cluster.secret('shop-tls', { 'tls.crt': 'YQ==' });
  await look();
  expect([condition(), cluster.names('deployments')]).toEqual(['False SecretMissing', []]);
  cluster.secret('shop-tls', { 'tls.crt': 'YQ==', 'tls.key': 'Yg==' });
  await look();
  for (const name of ['shop-writer', 'shop-reader']) {
    expect(environment(name)).toMatchObject({
      SVC_TLS_CERT: '/keys/tls/tls.crt',
      SVC_TLS_KEY: '/keys/tls/tls.key',
    });
    expect(environment(name)).not.toHaveProperty('SVC_BEHIND_TLS_PROXY');
    expect(secrets(name)).toContainEqual({
      secretName: 'shop-tls',
      defaultMode: 0o440,
      items: [
        { key: 'tls.crt', path: 'tls.crt' },
        { key: 'tls.key', path: 'tls.key' },
      ],
    });
    const [container] = pod(name).containers;
    for (const probe of ['startup', 'readiness', 'liveness'] as const)
      expect(container[`${probe}Probe`]?.httpGet).toMatchObject({ scheme: 'HTTPS', port: 'http' });
    expect(JSON.stringify(cluster.objects.get(`deployments/default/${name}`))).toContain(
      '"prometheus.io/scheme":"https"',
    );
    expect(cluster.objects.get(`services/default/${name}`)?.spec).toMatchObject({
      ports: [{ appProtocol: 'https' }],
    });
  }
});

test('tokens: the issuer, and a key set from a secret; no key is created', async () => {
  const { cluster, look, condition, environment, secrets } = operate();
  const jwt = { issuer: 'https://login.example/', audience: 'https://db.example' };
  const of = (more: object) => ({ mode: 'jwt', jwt: { ...jwt, profile: 'compatible', ...more } });
  const tls = { ...proxied, trustedProxies: ['10.0.0.0/8', '192.168.0.1'] };
  cluster.create('shop', { storage, tls, readers: 1, authentication: of({}) });
  await look();
  expect([condition(), cluster.names('secrets')]).toEqual(['True Jwt', []]);
  expect(environment('shop-reader')).toMatchObject({
    SVC_AUTH: 'jwt',
    SVC_AUTH_ISSUER: jwt.issuer,
    SVC_AUTH_AUDIENCE: jwt.audience,
    SVC_AUTH_PROFILE: 'compatible',
    SVC_TRUSTED_PROXY: '10.0.0.0/8,192.168.0.1',
  });
  cluster.change('shop', { authentication: of({ keySetSecretRef: { name: 'issuer' } }) });
  await look();
  expect(condition()).toBe('False SecretMissing');
  cluster.secret('issuer', { 'jwks.json': 'e30=' });
  await look();
  expect(environment('shop-writer')['SVC_AUTH_JWKS_FILE']).toBe('/keys/jwks/jwks.json');
  expect(secrets('shop-reader')).toEqual([
    {
      secretName: 'issuer',
      defaultMode: 0o440,
      items: [{ key: 'jwks.json', path: 'jwks.json' }],
    },
  ]);
  cluster.change('shop', { authentication: { ...of({}), mode: 'keys,jwt' } });
  await look();
  expect([condition(), environment('shop-writer')['SVC_AUTH']]).toEqual([
    'True KeysAndJwt',
    'keys,jwt',
  ]);
  expect(secrets('shop-writer')).toEqual([adminKey('shop-admin-key')]);
  // The issuer must have an URL for its metadata; the server says so before a pod does.
  cluster.change('shop', { authentication: of({ issuer: 'login' }) });
  await look();
  expect(condition('WorkloadReady')).toBe('False ConfigurationRefused');
});

test('no authentication must be chosen', async () => {
  const { cluster, look, condition, environment, secrets } = operate();
  cluster.create('shop', { storage, readers: 1, authentication: { mode: 'none' } });
  await look();
  expect([condition(), cluster.names('secrets')]).toEqual(['True None', []]);
  for (const name of ['shop-writer', 'shop-reader']) {
    expect(environment(name)).toMatchObject({ SVC_AUTH: 'none', SVC_INSECURE: 'true' });
    expect(secrets(name)).toEqual([]);
  }
});

test('a database from before keeps its pods until authentication is chosen', async () => {
  const { cluster, look, condition, environment } = operate();
  cluster.create('shop', { storage, readers: 1, authentication: { mode: 'none' } });
  await look();
  // As an earlier operator started them.
  cluster.change('shop', { authentication: undefined });
  const before = JSON.stringify(cluster.objects.get('deployments/default/shop-writer'));
  cluster.change('shop', { terminationGracePeriodSeconds: 60 });
  await look();
  expect(JSON.stringify(cluster.objects.get('deployments/default/shop-writer'))).toBe(before);
  expect([condition(), condition('Ready')]).toEqual(['False NotChosen', 'False NotChosen']);
  expect(cluster.names('secrets')).toEqual([]);
  cluster.change('shop', { authentication: { mode: 'keys' }, tls: proxied });
  await look();
  expect([condition(), environment('shop-writer')['SVC_AUTH']]).toEqual(['True Keys', 'keys']);
  // A database that has keys is not one from before.
  cluster.change('shop', { authentication: undefined });
  await look();
  expect(condition()).toBe('True Keys');
});
