/** One writer and its readers as processes: each answer of a reader is one state, and states never go back. */

import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeServer } from '../s3/fake-server.ts';
import { credentials } from '../s3/gateway.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import * as bank from './bank.ts';

interface Answer {
  readonly status: number;
  readonly json: { readonly result?: Record<string, number>; readonly reason?: string };
}

async function execute(
  server: ServerProcess,
  program: unknown,
  path = '/execute',
): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(program),
  });
  return { status: response.status, json: (await response.json()) as Answer['json'] };
}

/** Asks again and again, and remembers what must hold of the next answer. */
class Auditor {
  answers = 0;
  transfers = 0;
  epochs = 0;

  async look(reader: ServerProcess): Promise<void> {
    const { status, json } = await execute(reader, bank.audit);
    // Before the first transfer was published.
    if (status === 422 && this.answers === 0) return;
    expect([status, json.result]).toEqual([
      200,
      { sum: bank.accounts * bank.opening, count: bank.accounts },
    ]);
    this.answers++;
    const next = await execute(reader, bank.auditEpoch(this.epochs + 1));
    if (next.status === 422) {
      expect(next.json.reason).toBe('unknown_table');
      return;
    }
    const { transfers } = next.json.result as { transfers: number };
    expect(transfers).toBeGreaterThanOrEqual(this.transfers);
    expect(transfers).toBeGreaterThanOrEqual((this.epochs + 1) * 1_000_000);
    this.transfers = transfers;
    this.epochs++;
  }
}

interface Place {
  readonly flags: readonly string[];
  readonly env: Record<string, string>;
  /** How many pins there are. */
  pins(): number;
}

async function auditBank({ flags: place, env, pins }: Place): Promise<void> {
  const small = ['--store-l0-sst-size-mib', '1', '--store-sst-block-size-kib', '1'];
  const reading = ['--role', 'read', '--reader-poll-interval-ms', '50', ...place];
  const running: ServerProcess[] = [];
  const start = async (flags: readonly string[]) => {
    const server = await startServerProcess(flags, { env });
    running.push(server);
    return server;
  };
  try {
    const writer = await start([...place, ...small]);
    for (const table of bank.tables) {
      expect((await execute(writer, table, '/tables')).status).toBe(200);
    }
    expect((await execute(writer, bank.fill)).status).toBe(200);
    const readers = await Promise.all([start(reading), start(reading), start(reading)]);
    let isOver = false;
    let moved = 0;
    const note = 'n'.repeat(2000);
    const client = async (first: number) => {
      for (let i = first; !isOver; i += 7) {
        const from = i % bank.accounts;
        const to = (i * 3 + 1) % bank.accounts;
        if (from === to) continue;
        const { status } = await execute(writer, bank.transfer(from, to, (i % 9) + 1, note));
        if (status === 200) moved++;
        else expect(status).toBe(409);
      }
    };
    const epochs = async () => {
      for (let number = 1; number <= 4; number++) {
        expect((await execute(writer, bank.epoch(number))).status).toBe(200);
        const before = moved;
        while (moved < before + 40 && !isOver) await Bun.sleep(5);
      }
    };
    const auditors = readers.map(() => new Auditor());
    const audit = async (at: number) => {
      const auditor = auditors[at] as Auditor;
      while (auditor.epochs < 4) await auditor.look(readers[at] as ServerProcess);
    };
    const load = [client(1), client(2), client(3), epochs()];
    // The second one is killed and started again, the third one is put to sleep for a while.
    const killed = (async () => {
      const auditor = auditors[1] as Auditor;
      while (auditor.epochs < 1) await auditor.look(readers[1] as ServerProcess);
      readers[1]?.kill('SIGKILL');
      await readers[1]?.exited;
      readers[1] = await start(reading);
      await audit(1);
    })();
    const paused = (async () => {
      const { pid } = readers[2] as ServerProcess;
      process.kill(pid, 'SIGSTOP');
      await (load[3] as Promise<void>);
      process.kill(pid, 'SIGCONT');
      await audit(2);
    })();
    await Promise.all([audit(0), killed, paused]);
    isOver = true;
    await Promise.all(load);
    for (const auditor of auditors) expect(auditor.answers).toBeGreaterThanOrEqual(4);
    for (const server of readers) {
      server.kill('SIGTERM');
      expect(await server.exited).toBe(0);
    }
    // Only the reader that was killed has left something behind.
    expect(pins()).toBeLessThanOrEqual(2);
    writer.kill('SIGTERM');
    expect(await writer.exited).toBe(0);
  } finally {
    for (const server of running) server.kill('SIGKILL');
    await Promise.all(running.map(({ exited }) => exited));
  }
}

const bank3 = 'three readers see nothing but whole states of a bank, through restarts and pauses';

test(`in a directory, ${bank3}`, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-readers-'));
  const pins = () => readdirSync(join(directory, 'pin')).length;
  try {
    await auditBank({ flags: ['--storage-path', directory], env: {}, pins });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}, 120_000);

test(`in a bucket, ${bank3}`, async () => {
  const server = await startFakeServer();
  const { accessKeyId, secretAccessKey } = credentials;
  try {
    await auditBank({
      flags: ['--storage', 's3', '--s3-bucket', 'bucket', '--s3-endpoint', server.endpoint],
      env: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
      pins: () => [...server.objects.keys()].filter((name) => name.includes('/pin/')).length,
    });
  } finally {
    await server.stop();
  }
}, 120_000);
