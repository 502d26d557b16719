/** `svc serve` as a process of its own: started, killed, started again. */

import { join } from 'node:path';
import { fromSource, program } from './program.ts';

const here = join(import.meta.dir, '..', '..');

export interface ServerProcess {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  /** The line that the server prints when it is ready. */
  readonly banner: string;
  readonly exited: Promise<number>;
  /** What was written to stderr; complete after `exited`. */
  stderr(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

/** Runs `program`, or `binary` or another source tree when given. Rejects with stderr when the server ends before it is ready. */
export async function startServerProcess(
  flags: readonly string[],
  options: {
    readonly binary?: string;
    readonly env?: Record<string, string>;
    /** Another source tree. */
    readonly root?: string;
  } = {},
): Promise<ServerProcess> {
  const { binary, root } = options;
  const server =
    binary === undefined ? (root === undefined ? program : fromSource(root)) : [binary];
  const child = Bun.spawn([...server, 'serve', '--addr', '127.0.0.1:0', ...flags], {
    cwd: root ?? here,
    env: { ...process.env, ...options.env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const stderr = new Response(child.stderr).text();
  const banner = await firstLine(child.stdout);
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(banner)?.[1]);
  if (Number.isNaN(port)) {
    const code = await child.exited;
    throw new Error(`the server ended with ${code}: ${await stderr}`);
  }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    banner,
    exited: child.exited,
    stderr: () => stderr,
    kill: (signal) => child.kill(signal),
  };
}

async function firstLine(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stdout.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (value !== undefined) text += decoder.decode(value, { stream: true });
    if (done || /127\.0\.0\.1:\d+[^\n]*\n/.test(text)) break;
  }
  reader.releaseLock();
  return text.trimEnd();
}
