/** One command as a process of its own. */

import { join } from 'node:path';
import { program } from '../support/program.ts';

const root = join(import.meta.dir, '..', '..');

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd: string = root,
): Promise<Outcome> {
  const child = Bun.spawn([...program, ...argv], {
    cwd,
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}
