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

/** Repeats the signal, from the time when the program has printed the text, until the program ends. */
export async function endProgram(
  command: readonly string[],
  input: string,
  printed: string,
  signal: NodeJS.Signals,
): Promise<Finished> {
  const child = Bun.spawn([...command], {
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const errors = new Response(child.stderr).text();
  const decoder = new TextDecoder();
  let stdout = '';
  let timer: Timer | undefined;
  for await (const chunk of child.stdout) {
    stdout += decoder.decode(chunk, { stream: true });
    if (stdout.includes(printed)) timer ??= setInterval(() => child.kill(signal), 100);
  }
  const [code, stderr] = await Promise.all([child.exited, errors]);
  clearInterval(timer);
  return { code, stdout, stderr };
}
