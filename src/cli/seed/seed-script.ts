/** A seed that is a program: run by the JavaScript runtime that this executable holds, with the database's address in its environment. */

import { dirname } from 'node:path';
import { CommandFailure } from '../frame/command-failure.ts';
import type { Shell } from '../frame/shell.ts';

export const scriptEnding = /\.[mc]?[jt]s$/;

interface Script {
  readonly path: string;
  /** As messages name it. */
  readonly shown: string;
  readonly databaseUrl: string;
  /** Ends the script as well. */
  readonly signal?: AbortSignal | undefined;
}

/** Ends with it. Throws a CommandFailure when it fails. */
export async function runScript(
  { env, mode }: Shell,
  { path, shown, databaseUrl, signal }: Script,
): Promise<void> {
  const child = Bun.spawn([process.execPath, 'run', path], {
    cwd: dirname(path),
    env: { ...env, BUN_BE_BUN: '1', SVC_DATABASE_URL: databaseUrl },
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
