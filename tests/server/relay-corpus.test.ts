/**
 * Programs of a reader on their way to the writer: processes of their own, over TLS that is verified, and where it is not. A reader sends once a second, so
 * that pairs of processes wait side by side.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '../relay/support.ts';
import { type Certificates, makeCertificates } from '../support/certificates.ts';
import { outcomeOf } from '../support/outcome.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { eventually, startTestServer } from './test-server.ts';

const token = 'a'.repeat(40);
let home: string;
let own: Certificates;
let other: Certificates;
let tokenFile: string;
const running: ServerProcess[] = [];

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-relay-corpus-'));
  own = makeCertificates(home, 'own');
  other = makeCertificates(home, 'other');
  tokenFile = join(home, 'token');
  writeFileSync(tokenFile, token);
  chmodSync(tokenFile, 0o600);
});
afterAll(async () => {
  for (const one of running) one.kill('SIGKILL');
  await Promise.all(running.map((one) => one.exited));
  rmSync(home, { recursive: true, force: true });
});

async function started(flags: readonly string[], env: Record<string, string> = {}) {
  const server = await startServerProcess(flags, { env });
  running.push(server);
  return server;
}

/** One that nobody has. */
async function freePort(): Promise<number> {
  const held = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port } = held;
  await held.stop(true);
  return port as number;
}

const shared = () => ['--relay-token-file', tokenFile];
const encrypted = () => ['--internal-tls-cert', own.cert, '--internal-tls-key', own.key];
const capturing = '--capture-workload-corpus';

interface Pair {
  readonly writer: ServerProcess;
  readonly reader: ServerProcess;
  /** Host and port of the internal listener. */
  readonly internal: string;
  readonly writing: readonly string[];
}

async function pair(
  name: string,
  options: {
    readonly scheme: 'http' | 'https';
    readonly writing?: readonly string[];
    readonly reading?: readonly string[];
    readonly env?: Record<string, string>;
  },
): Promise<Pair> {
  const place = ['--storage-path', join(home, name)];
  const internal = `127.0.0.1:${await freePort()}`;
  const writing = [...place, ...shared(), '--internal-addr', internal, ...(options.writing ?? [])];
  const writer = await started(writing);
  const reading = [...place, ...shared(), '--role', 'read', capturing, ...(options.reading ?? [])];
  const target = ['--relay-target', `${options.scheme}://${internal}`];
  const reader = await started([...reading, ...target], options.env);
  return { writer, reader, internal, writing };
}

interface Shown {
  readonly corpus: {
    readonly enabled: boolean;
    readonly captured: number;
    readonly maintenance?: Readonly<Record<string, number>>;
  };
  readonly relay: Readonly<Record<string, number | string>>;
}

async function shown({ url }: ServerProcess): Promise<Shown> {
  return (await (await fetch(`${url}/statistics`)).json()) as Shown;
}

/** Runs a program with this literal; a reader may not be open yet. */
async function run({ url }: ServerProcess, literal: string): Promise<void> {
  const columns = [{ name: 'a', type: 'text', nullable: false }];
  const r = { kind: 'rows', scope: 'r', columns, rows: [[literal]] };
  const relation = { nodes: { r }, root: { node: 'r', cardinality: 'exactly_one' } };
  const body = JSON.stringify({ statements: [{ kind: 'query', name: 'q', relation }] });
  const headers = { 'content-type': 'application/json' };
  await eventually(async () => {
    const response = await fetch(`${url}/execute`, { method: 'POST', headers, body });
    await response.text();
    return response.status === 200;
  });
}

async function tell(url: string, corpus: readonly object[], ca?: string): Promise<string> {
  const response = await fetch(`${url}/internal/statistics/observations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: textOf({ corpus }),
    ...(ca === undefined ? {} : { tls: { ca: readFileSync(ca, 'utf8') } }),
  });
  const { reason } = (await response.json()) as { readonly reason: string };
  return `${response.status} ${reason}`;
}

const program = { document: '{"statements":[]}', executions: 1 };
const large = { document: `{"a":"${'x'.repeat(1 << 20)}"}`, executions: 1 };

test.concurrent('over verified TLS the writer keeps what a reader has run, across a restart', async () => {
  const reading = ['--relay-ca', own.ca];
  const { writer, reader, internal, writing } = await pair('verified', {
    scheme: 'https',
    writing: [...encrypted(), capturing],
    reading,
  });
  await run(reader, 'one');
  await run(reader, 'two');
  await eventually(async () => (await shown(reader)).relay['corpusSent'] === 2);
  await eventually(async () => (await shown(writer)).relay['corpusAdopted'] === 2);
  expect(await shown(reader)).toMatchObject({
    corpus: { enabled: true, captured: 2 },
    relay: { state: 'connected', corpusWithheld: 0, rejected: 0 },
  });
  expect((await shown(reader)).corpus.maintenance).toBe(undefined);
  expect(await tell(`https://${internal}`, [large], own.ca)).toBe('413 corpus_document_too_large');
  expect((await shown(writer)).relay).toMatchObject({ receivedCorpusOversize: 1 });
  expect(await outcomeOf(fetch(`https://${internal}/`))).toThrow();

  // What it has run since the last batch goes out at its stop.
  await run(reader, 'three');
  reader.kill('SIGTERM');
  expect(await reader.exited).toBe(0);
  await eventually(async () => (await shown(writer)).relay['corpusAdopted'] === 3);
  writer.kill('SIGTERM');
  expect(await writer.exited).toBe(0);
  const again = await started(writing);
  expect((await shown(again)).corpus.maintenance).toMatchObject({
    retainedPrograms: 3,
    retainedExecutions: 3,
  });
}, 60_000);

test.concurrent('over plain HTTP programs are withheld and counted, and the rest goes', async () => {
  const { writer, reader, internal } = await pair('plain', {
    scheme: 'http',
    writing: [capturing],
  });
  await run(reader, 'one');
  await eventually(async () => (await shown(reader)).relay['corpusWithheld'] === 1);
  await eventually(async () => Number((await shown(writer)).relay['mergedObservations']) > 0);
  expect((await shown(reader)).relay).toMatchObject({ corpusSent: 0, rejected: 0 });
  expect(await tell(`http://${internal}`, [program])).toBe('403 corpus_requires_tls');
  expect((await shown(writer)).relay).toMatchObject({ corpusAdopted: 0 });
}, 60_000);

test.concurrent('a writer that keeps none says so, and gets the rest', async () => {
  const { writer, reader, internal } = await pair('disabled', {
    scheme: 'https',
    writing: encrypted(),
    reading: ['--relay-ca', own.ca],
  });
  await run(reader, 'one');
  await eventually(async () => (await shown(reader)).relay['corpusWithheld'] === 1);
  await eventually(async () => Number((await shown(writer)).relay['mergedObservations']) > 0);
  expect((await shown(reader)).relay).toMatchObject({ corpusSent: 0, rejected: 0 });
  expect(await tell(`https://${internal}`, [program], own.ca)).toBe('403 corpus_disabled');
}, 60_000);

test.concurrent('a writer that cannot prove who it is gets nothing, whatever the environment permits', async () => {
  const { writer, reader } = await pair('unverified', {
    scheme: 'https',
    writing: [...encrypted(), capturing],
    reading: ['--relay-ca', other.ca],
    env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  });
  await run(reader, 'one');
  await eventually(async () => (await shown(reader)).relay['state'] === 'retrying');
  expect((await shown(reader)).relay).toMatchObject({ sent: 0, corpusSent: 0 });
  expect((await shown(writer)).relay).toMatchObject({ received: 0, corpusAdopted: 0 });
}, 60_000);

test.concurrent('a writer that demands client certificates admits readers that have one', async () => {
  const writing = [...encrypted(), '--internal-tls-client-ca', own.ca];
  const reading = ['--relay-ca', own.ca, '--relay-cert', own.cert, '--relay-key', own.key];
  const known = await pair('known', { scheme: 'https', writing, reading });
  await run(known.reader, 'one');
  await eventually(async () => (await shown(known.reader)).relay['state'] === 'connected');
  const unknown = await pair('unknown', { scheme: 'https', writing, reading: reading.slice(0, 2) });
  await run(unknown.reader, 'one');
  await eventually(async () => (await shown(unknown.reader)).relay['state'] === 'retrying');
}, 60_000);

test('files that are no certificates or keys, and options that lack others', async () => {
  const writes = { 'internal-addr': '127.0.0.1:0', 'relay-token-file': tokenFile };
  const reads = {
    role: 'read',
    'relay-token-file': tokenFile,
    'relay-target': 'https://127.0.0.1:1',
  };
  const exposed = join(home, 'exposed.key');
  writeFileSync(exposed, readFileSync(own.key));
  chmodSync(exposed, 0o644);
  const cert = { 'internal-tls-cert': own.cert };
  const long = join(home, 'long.cert');
  writeFileSync(long, ' '.repeat(2 ** 20 + 1));
  const refused: readonly (readonly [flags: Record<string, string>, message: string])[] = [
    [{ ...writes, ...cert }, '--internal-tls-key is not set'],
    [{ ...writes, 'internal-tls-key': own.key }, '--internal-tls-cert is not set'],
    [{ ...cert, 'internal-tls-key': own.key }, 'only with --internal-addr of a writer'],
    [{ ...writes, ...cert, 'internal-tls-key': other.key }, 'of the first certificate in'],
    [{ ...writes, ...cert, 'internal-tls-key': exposed }, 'chmod 600'],
    [{ ...writes, ...cert, 'internal-tls-key': tokenFile }, 'a PEM private key'],
    [
      { ...writes, 'internal-tls-cert': tokenFile, 'internal-tls-key': own.key },
      'a file with a PEM certificate',
    ],
    [
      { ...writes, 'internal-tls-cert': join(home, 'absent'), 'internal-tls-key': own.key },
      'a file that can be read',
    ],
    [
      { ...writes, 'internal-tls-cert': '/dev/zero', 'internal-tls-key': own.key },
      'a regular file',
    ],
    [{ ...reads, 'relay-ca': join(home, 'absent') }, 'a file that can be read'],
    [{ ...reads, 'relay-ca': long }, 'a file of at most 1048576 bytes'],
    [{ ...reads, 'relay-ca': own.key }, 'a file with a PEM certificate'],
    [{ ...reads, 'relay-cert': own.cert }, '--relay-key is not set'],
    [{ ...reads, 'relay-cert': own.cert, 'relay-key': other.key }, 'of the first certificate in'],
    [
      { ...reads, 'relay-target': 'http://127.0.0.1:1', 'relay-cert': own.cert },
      'only with a --relay-target of https://',
    ],
    [
      { ...reads, 'relay-target': 'http://127.0.0.1:1', 'relay-ca': own.ca },
      'only with a --relay-target of https://',
    ],
  ];
  for (const [flags, message] of refused) {
    expect(await outcomeOf(startTestServer(flags))).toThrow(message);
  }
}, 60_000);

test('a byte order mark before a certificate and before a key', async () => {
  const marked = (path: string) => {
    writeFileSync(`${path}.marked`, `\uFEFF${readFileSync(path, 'utf8')}`, { mode: 0o600 });
    return `${path}.marked`;
  };
  await using writer = await startTestServer({
    'internal-addr': '127.0.0.1:0',
    'relay-token-file': tokenFile,
    'internal-tls-cert': marked(own.cert),
    'internal-tls-key': marked(own.key),
  });
  await writer.server.opened;
  const { address } = (writer.server as unknown as { relay: { address: { port: number } } }).relay;
  const answer = await fetch(`https://127.0.0.1:${address.port}/internal/statistics/observations`, {
    method: 'POST',
    tls: { ca: readFileSync(own.ca, 'utf8') },
  });
  expect(answer.status).toBe(401);
});
