/** Exchanges of certificates under load, by clients that neither check a kept connection nor repeat a request. */

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority } from '../../support/certificates.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { type Line, openLine, textOf } from './support.ts';

export interface LoadResult {
  readonly answered: number;
  /** Number of lost requests by the kind of the connection and the error. */
  readonly lost: Readonly<Record<string, number>>;
  /** Number of exchanges after which new connections got the new certificate. */
  readonly exchanged: number;
}

const keptClients = 4;
const freshClients = 8;

/** Runs until all exchanges are done and each certificate was seen, at least for `requests` requests. */
export async function exchangeUnderLoad(exchanges: number, requests: number): Promise<LoadResult> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-exchanges-'));
  const authorities = ['even', 'odd'].map((name) => makeAuthority(directory, name));
  const pairs = authorities.map((authority) => authority.issue('server', ['127.0.0.1']));
  const cert = join(directory, 'cert.pem');
  const key = join(directory, 'cert.key');
  const install = (n: number) => {
    const pair = pairs[n % 2] as (typeof pairs)[number];
    copyFileSync(pair.cert, cert);
    copyFileSync(pair.key, key);
  };
  install(0);
  const flags = ['--storage', 'memory', '--tls-cert', cert, '--tls-key', key];
  const server = await startServerProcess(flags);
  const ca = authorities.map((authority) => textOf(authority.ca));
  const open = () => openLine(server.port, { ca });
  let isOver = false;
  let answered = 0;
  const lost: Record<string, number> = {};
  const ask = async (kind: string, work: () => Promise<void>) => {
    try {
      await work();
      answered++;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      const name = `${kind} ${code ?? message}`;
      lost[name] = (lost[name] ?? 0) + 1;
    }
  };
  const kept = async () => {
    let line: Line | undefined;
    while (!isOver) {
      await ask('kept', async () => {
        const present = line ?? (await open());
        line = undefined;
        const response = await present.get('/livez');
        if (/connection: close/i.test(response)) present.end();
        else line = present;
      });
    }
    line?.end();
  };
  const fresh = async () => {
    while (!isOver) {
      await ask('new', async () => {
        const line = await open();
        await line.get('/livez');
        line.end();
      });
    }
  };
  const clients = [
    ...Array.from({ length: keptClients }, kept),
    ...Array.from({ length: freshClients }, fresh),
  ];
  let exchanged = 0;
  for (let n = 1; n <= exchanges; n++) {
    install(n);
    server.kill('SIGHUP');
    const expected = n % 2 === 0 ? 'even' : 'odd';
    let issuer = '';
    while (issuer !== expected) {
      const line = await open();
      issuer = line.issuer;
      line.end();
    }
    exchanged++;
  }
  const last = answered;
  while (answered < Math.max(requests, last + 200)) await open().then((line) => line.end());
  isOver = true;
  await Promise.all(clients);
  server.kill('SIGTERM');
  await server.exited;
  rmSync(directory, { recursive: true });
  return { answered, lost, exchanged };
}
