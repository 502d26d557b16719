/** The executable under attack, as a process of its own on a port of its own. */

import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../gauge/process.ts';
import { endAtExit } from './at-exit.ts';

export interface ServerOptions {
  readonly binary: string;
  /** Its store is `data` in it; what it prints goes to files beside that. */
  readonly directory: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Limit of open files. */
  readonly nofile?: number;
  /** Where its log goes instead of a file. */
  readonly stderr?: number;
}

export interface Server {
  readonly pid: number;
  readonly port: number;
  readonly directory: string;
  readonly exited: Promise<number>;
  log(): string;
  kill(signal: 'SIGKILL' | 'SIGTERM'): void;
  /** SIGTERM, and SIGKILL when that has not helped within the time. Undefined: it has not. */
  stop(limitMs: number): Promise<{ readonly code: number; readonly ms: number } | undefined>;
}

export class StartRefused extends Error {}

/** Rejects with `StartRefused` and what was printed when the process ends before it listens. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { directory } = options;
  const [out, err] = [join(directory, 'stdout.txt'), join(directory, 'stderr.txt')];
  const [outFd, errFd] = [openSync(out, 'w'), openSync(err, 'w')];
  const child = Bun.spawn(commandOf(options), {
    cwd: directory,
    env: { ...process.env, ...options.env },
    stdin: 'ignore',
    stdout: outFd,
    stderr: options.stderr ?? errFd,
  });
  closeSync(outFd);
  closeSync(errFd);
  const forget = endAtExit(child.pid);
  void child.exited.then(forget);
  const log = () => readFileSync(err, 'utf8');
  const port = await portOf(out, child.pid);
  if (port === undefined) throw new StartRefused(log());
  const { pid } = child;
  const kill = (signal: 'SIGKILL' | 'SIGTERM') => child.kill(signal);
  return { pid, port, directory, exited: child.exited, log, kill, stop: stopOf(child) };
}

function commandOf({ binary, directory, flags = [], nofile }: ServerOptions): string[] {
  const serve = ['serve', '--addr', '127.0.0.1:0', '--storage-path', join(directory, 'data')];
  const command = [binary, ...serve, ...flags];
  if (nofile === undefined) return command;
  return ['/bin/sh', '-c', `ulimit -n ${nofile}; exec "$0" "$@"`, ...command];
}

async function portOf(path: string, pid: number): Promise<number | undefined> {
  for (let i = 0; i < 6000; i++) {
    const isThere = isRunning(pid);
    const port = /127\.0\.0\.1:(\d+)/.exec(readFileSync(path, 'utf8'))?.[1];
    if (port !== undefined) return Number(port);
    if (!isThere) return undefined;
    await Bun.sleep(10);
  }
  return undefined;
}

function stopOf(child: Bun.Subprocess): Server['stop'] {
  return async (limitMs) => {
    const startedAt = performance.now();
    child.kill('SIGTERM');
    const code = await Promise.race([child.exited, Bun.sleep(limitMs)]);
    if (typeof code === 'number') return { code, ms: performance.now() - startedAt };
    child.kill('SIGKILL');
    await child.exited;
    return undefined;
  };
}
