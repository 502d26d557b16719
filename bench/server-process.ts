/** Servers under measurement run as processes of their own; each prints a line with its port when it is ready. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ServerProcess extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  readonly directory: string;
}

const root = join(import.meta.dir, '..');

/** Starts `svc serve`, on a fresh directory unless told otherwise. */
export function startSvc(
  storage?: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const serve = [
    join(root, 'src/main.ts'),
    'serve',
    '--addr',
    '127.0.0.1:0',
    '--log-level',
    'warn',
  ];
  return start((directory) => [...serve, ...(storage ?? ['--storage-path', directory])], env);
}

/** The executable that `npm run build` makes. */
export const builtExecutable = join(root, 'dist/svc');

/** Starts an executable, or a command, on a fresh directory or on one that outlives the server. */
export function startBuilt(
  command: string | readonly string[] = builtExecutable,
  kept?: string,
): Promise<ServerProcess> {
  const serve = ['serve', '--addr', '127.0.0.1:0', '--log-level', 'error', '--storage-path'];
  const words = typeof command === 'string' ? [command] : command;
  return startProcess((directory) => [...words, ...serve, directory], {}, kept);
}

/** Starts one of bench/references on a fresh directory. */
export function startReference(name: string): Promise<ServerProcess> {
  return start((directory) => [join(import.meta.dir, 'references', `${name}.ts`), directory]);
}

function start(
  command: (directory: string) => readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return startProcess((directory) => [process.execPath, 'run', ...command(directory)], env);
}

async function startProcess(
  command: (directory: string) => readonly string[],
  env: Readonly<Record<string, string>> = {},
  kept?: string,
): Promise<ServerProcess> {
  const directory = kept ?? mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const child = Bun.spawn([...command(directory)], {
    cwd: root,
    // What is asked again is to be done again, unless the environment says otherwise.
    env: { SVC_RELATION_CACHE_SIZE_MIB: '0', ...process.env, ...env, NODE_ENV: 'production' },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const port = await portOf(child.stdout);
  return {
    port,
    pid: child.pid,
    directory,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await child.exited;
      if (kept === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The first `127.0.0.1:PORT` on the server's stdout. */
async function portOf(stdout: ReadableStream<Uint8Array>): Promise<number> {
  let text = '';
  const decoder = new TextDecoder();
  const reader = stdout.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the server ended before it was ready: ${text}`);
    text += decoder.decode(value, { stream: true });
    const match = /127\.0\.0\.1:(\d+)/.exec(text);
    if (match === null || !text.includes('\n')) continue;
    reader.releaseLock();
    return Number(match[1]);
  }
}
