/** Looks at files of a project until Ctrl-C, and works again when one of them is another than before. */

import { readdirSync, statSync } from 'node:fs';
import { CommandFailure } from '../frame/command-failure.ts';
import { printError } from '../frame/output.ts';
import { interruptedFailure, type Shell } from '../frame/shell.ts';
import { troubleOf } from '../frame/trouble.ts';

/** Between two looks; what was written within one is taken up at once. */
const lookMs = 100;

interface Watched {
  readonly places: readonly string[];
  readonly command: string;
  /** Ends it like Ctrl-C. */
  readonly signal?: AbortSignal;
}

/** `places`: paths of files and directories, which may not be there. What `work` throws is printed as what happened to `command`; an interruption ends it all. */
export async function watchProject(
  shell: Shell,
  { places, command, signal: ended }: Watched,
  work: () => void | Promise<void>,
): Promise<void> {
  const { scheduler } = shell.world;
  using interruption = shell.interruption();
  const { happened, signal } = interruption;
  const end = new Promise<never>((_, reject) =>
    ended?.addEventListener('abort', () => reject(interruptedFailure())),
  );
  end.catch(() => {});
  try {
    for (let worked = ''; ; ) {
      const seen = await settled(places, worked, () =>
        Promise.race([
          new Promise<void>((done) => void scheduler.after(lookMs, done)),
          happened,
          end,
        ]),
      );
      await attempt(shell, command, work);
      worked = seen;
    }
  } catch (error) {
    // Ctrl-C is how watching ends: that is no failure.
    if (!isInterruption(error) && !signal.aborted) throw error;
  }
}

/** The traces of the places, once they are others than `worked` and have been the same twice. */
async function settled(
  places: readonly string[],
  worked: string,
  pause: () => Promise<void>,
): Promise<string> {
  for (let before = worked; ; ) {
    const now = places.map(traceOf).join('\n');
    if (now !== worked && (now === before || worked === '')) return now;
    before = now;
    await pause();
  }
}

async function attempt(
  { mode }: Shell,
  command: string,
  work: () => void | Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isInterruption(error)) throw error;
    const trouble = troubleOf(error, command);
    if (trouble !== undefined) printError(mode, trouble);
  }
}

function isInterruption(error: unknown): boolean {
  return error instanceof CommandFailure && error.facts.code === 'interrupted';
}

/** Changes with what is there: of a directory its names. */
function traceOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    const isDirectory = statSync(path).isDirectory();
    return isDirectory ? readdirSync(path).sort().join() : `${mtimeMs} ${size} ${ino}`;
  } catch {
    return 'none';
  }
}
