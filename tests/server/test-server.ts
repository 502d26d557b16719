/** One server in this process, with a clock that the test moves. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LogFields, readConfiguration, Server } from '#server';
import { expectConformance } from '../openapi/conformance.ts';
import { type ManualWorld, manualWorld, until } from '../support/manual-world.ts';

export interface TestServer extends AsyncDisposable {
  readonly server: Server;
  readonly world: ManualWorld;
  readonly port: number;
  readonly directory: string;
  readonly events: readonly { readonly event: string; readonly fields: LogFields | undefined }[];
  get(path: string): Promise<{ readonly status: number; readonly json: unknown }>;
}

export async function startTestServer(
  flags: Record<string, string> = {},
  env: Record<string, string> = {},
): Promise<TestServer> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-server-'));
  const world = manualWorld();
  const events: { event: string; fields: LogFields | undefined }[] = [];
  const log = {
    has: () => false,
    write: (_level: string, event: string, fields?: LogFields) =>
      void events.push({ event, fields }),
  };
  const given = { addr: '127.0.0.1:0', 'storage-path': directory, ...flags };
  const server = new Server(readConfiguration(given, env), world, log);
  const port = Number(new URL(server.url).port);
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    const { status, headers } = response;
    const text = await response.text();
    expectConformance('GET', path, { status, headers, text });
    return { status, json: JSON.parse(text) as unknown };
  };
  const dispose = async () => {
    const stopped = server.stop();
    // Whatever still lingers is cut off.
    void stopped.finally(() => rmSync(directory, { recursive: true, force: true }));
    await until(stopped, world);
  };
  return { server, world, port, directory, events, get, [Symbol.asyncDispose]: dispose };
}

/** Lets real I/O go on, and the clocks as far as `step` says, until `isDone`; the test fails when that never comes. */
export async function eventually(
  isDone: () => boolean | Promise<boolean>,
  step: () => void = () => {},
): Promise<void> {
  for (let turn = 0; turn < 5000; turn++) {
    if (await isDone()) return;
    step();
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error('it never came true');
}
