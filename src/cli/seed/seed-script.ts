/** A seed that is a program: run by the JavaScript runtime that this executable holds, with the database's address in its environment. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandFailure } from '../frame/command-failure.ts';
import type { Shell } from '../frame/shell.ts';
import preload from './script-preload.js.txt' with { type: 'text' };

export const scriptEnding = /\.[mc]?[jt]s$/;

interface Script {
  readonly path: string;
  /** As messages name it. */
  readonly shown: string;
  readonly databaseUrl: string;
  /** Ends the script as well. */
  readonly signal?: AbortSignal | undefined;
}

/** Throws a CommandFailure where it is no program: before any row is deleted for it. */
export function requireScript(path: string, shown: string): void {
  const loader = path.endsWith('ts') ? 'ts' : 'js';
  try {
    new Bun.Transpiler({ loader }).transformSync(readFileSync(path, 'utf8'));
  } catch (error) {
    // One mistake by itself, or several together.
    const [first = error] = (error as { errors?: readonly unknown[] }).errors ?? [];
    throw new CommandFailure({
      code: 'seed_unreadable',
      message: `${shown} is no program: ${(first as Error).message}`,
      hint: 'nothing was changed',
    });
  }
}

/** Runs the script to its end. Throws a CommandFailure when it fails. */
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

/** The preload keeps BUN_BE_BUN from what the script starts. */
async function runPreloaded(
  { env, mode }: Shell,
  { path, shown, databaseUrl, signal }: Script,
  preloadPath: string,
): Promise<void> {
  const child = Bun.spawn([process.execPath, 'run', '--preload', preloadPath, path], {
    cwd: dirname(path),
    env: { ...directEnvironment(env), BUN_BE_BUN: '1', SVC_DATABASE_URL: databaseUrl },
    stdin: 'ignore',
    // The result of the command is the only thing on stdout in JSON.
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
    hint: 'what it wrote before stays; `svc seed --reset` begins again from empty tables',
  });
}

const ownHosts = 'localhost,127.0.0.1,127.0.0.0/8,::1';

/** The `fetch` of the script reaches a database of this machine directly, as the commands do, whatever proxy the environment names. */
function directEnvironment(env: Shell['env']): Shell['env'] {
  // Programs read the one or the other; where both are set, most prefer the lower case.
  const list = env['no_proxy'] || env['NO_PROXY'] || '';
  if (list.trim() === '*') return env;
  const extended = list === '' ? ownHosts : `${list},${ownHosts}`;
  return { ...env, NO_PROXY: extended, no_proxy: extended };
}
