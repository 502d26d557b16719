/** Shell blocks of a document, as one terminal runs them. */

import { expect } from 'bun:test';
import { program } from '../support/program.ts';

/** Of two formats curl takes the last: the status stands on a line of its own. */
const preamble = `curl() { command curl --max-time 20 "$@" -w '\\n%{http_code}\\n'; }
svc() { ${program.map((word) => `'${word}'`).join(' ')} "$@"; }
`;

export interface Pasted {
  readonly statuses: readonly number[];
  readonly output: string;
  readonly stderr: string;
  readonly last: unknown;
}

/** Runs scripts as one terminal would: variables and the directory of earlier ones stay. */
export async function paste(
  home: string,
  scripts: readonly string[],
  script: string,
): Promise<Pasted> {
  const kept = scripts.join('').match(/^(?:[A-Z]+=|cd ).*$/gm) ?? [];
  const text = `set -e\n${preamble}${kept.join('\n')}\n${script}`;
  const shell = Bun.spawn(['bash', '-c', text], { cwd: home, stdout: 'pipe', stderr: 'pipe' });
  const printed = await new Response(shell.stdout).text();
  // Servers of tests listen on other ports than that of the page, and `svc init` names those.
  const output = printed.replaceAll(/ --addr 127\.0\.0\.1:\d+(?= +in a second terminal)/g, '');
  const progress = await new Response(shell.stderr).text();
  expect(await shell.exited, progress).toBe(0);
  const lines = output.trim().split('\n');
  return {
    output,
    stderr: progress,
    statuses: lines.filter((line) => /^\d{3}$/.test(line)).map(Number),
    last: lines.at(-2)?.startsWith('{') ? JSON.parse(lines.at(-2) as string) : undefined,
  };
}
