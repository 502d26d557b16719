/** One command as a process of its own: from source, or the binary that `SVC_TEST_BINARY` names. */

import { join, resolve } from 'node:path';

const root = join(import.meta.dir, '..', '..');
const binary = process.env['SVC_TEST_BINARY'];

/** What runs `svc`. */
export const program: readonly string[] =
  binary === undefined
    ? [process.execPath, 'run', join(root, 'src/main.ts')]
    : [resolve(root, binary)];

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
