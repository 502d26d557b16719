/** Programs of the system that check what `deploy/` holds: where one is not installed its tests say loudly that they are skipped. */

import { join } from 'node:path';

export const deploy = join(import.meta.dir, '..', '..', 'deploy');

/** `from` is the package of Debian. */
export function hasTool(name: string, from: string): boolean {
  if (Bun.which(name) !== null) return true;
  console.error(
    `\n*** SKIPPED: the tests of deploy/ that need ${name}, because it is not installed.\n` +
      `*** apt-get install --no-install-recommends ${from}\n`,
  );
  return false;
}

/** What it printed on both streams, after its exit code. */
export async function run(argv: readonly string[]): Promise<readonly [number, string]> {
  const child = Bun.spawn([...argv], { cwd: deploy, stdout: 'pipe', stderr: 'pipe' });
  const texts = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
  return [await child.exited, (await Promise.all(texts)).join('')];
}
