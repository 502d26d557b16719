/** Secrets in every part of a request, searched in everything that the server writes. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawKey } from '#access';
import { systemWorld } from '#base';
import {
  audience,
  issuerUrl,
  jwkOf,
  pairs,
  setOf,
  tokenOf,
} from '../authentication/token/issuer.ts';
import { OtlpCollector } from '../support/otlp-collector.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-canaries-'));
const collector = new OtlpCollector();
const { random } = systemWorld();
const admin = drawKey(random).text;
const wrongKey = drawKey(random).text;
const nowSeconds = Math.floor(systemWorld().clock.unixMs() / 1000);
const claims = {
  iss: issuerUrl,
  aud: audience,
  sub: 'ada',
  client_id: 'app',
  jti: 'a1',
  iat: nowSeconds,
  exp: nowSeconds + 3600,
  scope: 'svc:read',
  canary: 'claim-5f2c91',
};
const header = { typ: 'at+jwt', alg: 'EdDSA', kid: 'eddsa' };
const token = tokenOf(header, claims, pairs.EdDSA);
const forged = `${token.slice(0, -20)}${'A'.repeat(20)}`;

/** A part of each secret that must not occur anywhere. The id of a key is public. */
const canaries = [
  admin.slice(18),
  wrongKey.slice(18),
  ...token.split('.').slice(1),
  claims.canary,
  'basic-9d31aa',
  'query-77e0b2',
];
let server: ServerProcess;

beforeAll(async () => {
  await Bun.write(join(directory, 'admin'), admin);
  chmodSync(join(directory, 'admin'), 0o600);
  await Bun.write(join(directory, 'jwks'), setOf(jwkOf(pairs.EdDSA)));
  const flags = {
    auth: 'keys,jwt',
    'auth-bootstrap-key-file': join(directory, 'admin'),
    'auth-issuer': issuerUrl,
    'auth-audience': audience,
    'auth-jwks-file': join(directory, 'jwks'),
    'storage-path': join(directory, 'store'),
    'audit-log': join(directory, 'audit.log'),
    'audit-level': 'all',
    'log-level': 'debug',
    'log-programs': 'true',
    'slow-ms': '1',
    'otel-endpoint': collector.endpoint,
  };
  server = await startServerProcess(Object.entries(flags).flatMap(([k, v]) => [`--${k}`, v]));
}, 60_000);

afterAll(async () => {
  server?.kill('SIGKILL');
  await collector.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** All texts of the responses. */
let responses = '';

async function send(method: string, path: string, authorization: string, more: object = {}) {
  const headers = { authorization, 'content-type': 'application/json', ...more };
  const isRead = method === 'GET' || method === 'DELETE';
  const body = isRead ? {} : { body: JSON.stringify({ name: authorization, scopes: [wrongKey] }) };
  const response = await fetch(`${server.url}${path}`, { method, headers, ...body });
  responses += `${JSON.stringify([...response.headers])}${await response.text()}`;
  return response.status;
}

/** Returns the content of all files below a directory. */
function contentOf(path: string): Buffer {
  if (!statSync(path).isDirectory()) return readFileSync(path);
  return Buffer.concat(readdirSync(path).map((name) => contentOf(join(path, name))));
}

test('no secret occurs in a response, the log, a trace, a metric, the audit log or the store', async () => {
  const traced = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
  const secrets = [admin, wrongKey, token, forged];
  for (const secret of secrets) {
    const bearer = `Bearer ${secret}`;
    const state = { ...traced, tracestate: `a=${secret}`, 'x-svc-application-name': secret };
    await send('GET', '/tables', bearer, state);
    await send('GET', `/auth/keys/${secret}?access_token=query-77e0b2`, bearer, traced);
    await send('DELETE', `/auth/keys/${secret}`, `Bearer ${admin}`, traced);
    await send('POST', `/auth/keys/${secret}/rotate`, `Bearer ${admin}`, traced);
    await send('POST', '/auth/keys', bearer, traced);
    await send('POST', '/schema/migrate', bearer, traced);
    await send('POST', `/execute?dry-run=${secret}`, bearer, traced);
    await send('GET', '/metrics', bearer);
    await send('GET', '/tables', `Basic basic-9d31aa ${secret}`);
    await send('GET', '/tables', `${bearer}, ${bearer}`);
  }
  expect(await send('GET', '/auth/self', `Bearer ${token}`, traced)).toBe(200);
  expect(await send('GET', '/auth/keys', `Bearer ${admin}`, traced)).toBe(200);
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  const written = {
    log: await server.stderr(),
    spans: JSON.stringify(collector.spans, (_, value) => (typeof value === 'bigint' ? '' : value)),
    metrics: JSON.stringify(collector.metrics),
    audit: readFileSync(join(directory, 'audit.log'), 'utf8'),
    store: contentOf(join(directory, 'store')).toString('latin1'),
    responses,
  };
  for (const [where, text] of Object.entries(written)) {
    expect([where, text.length > 100]).toEqual([where, true]);
    const found = canaries.filter((canary) => text.includes(canary));
    expect([where, found]).toEqual([where, []]);
  }
}, 60_000);
