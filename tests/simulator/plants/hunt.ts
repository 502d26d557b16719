/** Plants each known bug in a process of its own and looks how many seeds it takes to be found. */

import { cpus } from 'node:os';
import { join } from 'node:path';
import { plants } from './plants.ts';

const main = join(import.meta.dir, '..', 'main.ts');

/** What a change says that fits the text of a file and yet no longer what stands around it. */
const brokenText = /is not defined|is not a function|is not an object|ReferenceError|SyntaxError/;

export interface Hunt {
  readonly name: string;
  /** Seeds until it was found; undefined when it was not. */
  readonly seeds: number | undefined;
  /** What the oracle said. */
  readonly finding: string;
}

/** Known bugs, a few at the same time; `found` is told of each in turn. */
export async function huntAll(seedsMax: number, found: (hunt: Hunt) => void): Promise<void> {
  const waiting = plants.values();
  const worker = async (): Promise<void> => {
    for (const { name } of waiting) found(await hunt(name, seedsMax));
  };
  await Promise.all(Array.from({ length: cpus().length }, worker));
}

export async function hunt(name: string, seedsMax: number): Promise<Hunt> {
  const command = [process.execPath, 'run', main, '--plant', name, '--seeds', String(seedsMax)];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' });
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode === 0) return { name, seeds: undefined, finding: '' };
  const failed = /^seed (\d+) failed: (.*)$/m.exec(output);
  if (failed === null) throw new Error(`${name}: ${errors}${output}`);
  const finding = failed[2] as string;
  if (brokenText.test(finding)) throw new Error(`${name} does not run: ${finding}`);
  return { name, seeds: Number(failed[1]), finding };
}
