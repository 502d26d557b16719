/** A seed script: a program that the JavaScript runtime of this executable runs, with the address of the database in its environment. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandFailure } from '../frame/command-failure.ts';
import type { Shell } from '../frame/shell.ts';
import preload from './script-preload.js.txt' with { type: 'text' };

export const scriptEnding = /\.[mc]?[jt]s$/;

interface Script {
  readonly path: string;
  /** The path in the form for messages. */
  readonly shown: string;
  readonly databaseUrl: string;
  /** Aborts the script. */
  readonly signal?: AbortSignal | undefined;
}

/** Throws a CommandFailure if the file is not a valid program. Called before any row is deleted for it. */
export function requireScript(path: string, shown: string): void {
  const loader = path.endsWith('ts') ? 'ts' : 'js';
  try {
    new Bun.Transpiler({ loader }).transformSync(readFileSync(path, 'utf8'));
  } catch (error) {
    // The runtime throws a single error, or several together.
    const [first = error] = (error as { errors?: readonly unknown[] }).errors ?? [];
    throw new CommandFailure({
      code: 'seed_unreadable',
      message: `${shown} is not a program: ${(first as Error).message}`,
      hint: 'nothing was changed',
    });
  }
}

/** Runs the script until it ends. Throws a CommandFailure if it fails. */
export async function runScript(shell: Shell, script: Script): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-seed-'));
  try {
    const preloadPath = join(folder, 'preload.js');
    writeFileSync(preloadPath, preload);
    await runPreloaded(shell, script, preloadPath);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the script with a preload file, which hides BUN_BE_BUN from processes that the script starts. */
async function runPreloaded(
  { env, mode }: Shell,
  { path, shown, databaseUrl, signal }: Script,
  preloadPath: string,
): Promise<void> {
  const child = Bun.spawn([process.execPath, 'run', '--preload', preloadPath, path], {
    cwd: dirname(path),
    env: { ...directEnvironment(env), BUN_BE_BUN: '1', SVC_DATABASE_URL: databaseUrl },
    stdin: 'ignore',
    // In JSON mode, stdout contains only the result of the command.
    stdout: mode === 'json' ? 2 : 'inherit',
    stderr: 'inherit',
    ...(signal && { signal }),
  });
  const code = await child.exited;
  if (code === 0) return;
  const how = child.signalCode === null ? `code ${code}` : `signal ${child.signalCode}`;
  throw new CommandFailure({
    code: 'seed_failed',
    message: `${shown} ended with ${how}`,
    hint: 'rows that it has already written stay; `svc seed --reset` starts again with empty tables',
  });
}

const ownHosts = 'localhost,127.0.0.1,127.0.0.0/8,::1';

/**
 * Returns an environment in which the `fetch` of the script reaches a database of this machine directly, as commands do, even if the environment sets a proxy.
 */
function directEnvironment(env: Shell['env']): Shell['env'] {
  // Programs read one of the two names. If both are set, most prefer the lower-case one.
  const list = env['no_proxy'] || env['NO_PROXY'] || '';
  if (list.trim() === '*') return env;
  const extended = list === '' ? ownHosts : `${list},${ownHosts}`;
  return { ...env, NO_PROXY: extended, no_proxy: extended };
}
