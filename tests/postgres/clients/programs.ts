/** Clients that are programs: whether they are installed, and what they print. */

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Prints that the scenarios are skipped, and how to install the program. */
export function isInstalled(program: string, debianPackage: string): boolean {
  if (Bun.which(program) !== null) return true;
  console.error(
    `\n*** SKIPPED: the scenarios of ${program}, because it is not installed.\n` +
      `*** apt-get install --no-install-recommends ${debianPackage}\n`,
  );
  return false;
}

export async function runProgram(
  command: readonly string[],
  input = '',
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...env },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
  const [code, stdout = '', stderr = ''] = await Promise.all([child.exited, ...texts]);
  return { code, stdout, stderr };
}

/** Repeats the signal until the program ends. */
export async function endProgram(
  command: readonly string[],
  signal: NodeJS.Signals,
): Promise<Finished> {
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
  const timer = setInterval(() => child.kill(signal), 200);
  const [code, stdout = '', stderr = ''] = await Promise.all([child.exited, ...texts]);
  clearInterval(timer);
  return { code, stdout, stderr };
}
