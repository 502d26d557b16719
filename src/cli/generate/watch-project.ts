/** Looks at files of a project until Ctrl-C, and works again when one of them is another than before. */

import { readdirSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { pause } from '#base';
import { CommandFailure } from '../frame/command-failure.ts';
import { printError } from '../frame/output.ts';
import { interruptedFailure, type Shell } from '../frame/shell.ts';
import { troubleOf } from '../frame/trouble.ts';

/** Between two looks; what was written within one is taken up at once. */
const lookMs = 100;

/** Paths with what there was when they were looked at. */
type Traces = ReadonlyMap<string, string>;

interface Watched {
  readonly places: readonly string[];
  readonly command: string;
}

/** Is told which places have changed, at first all of them. */
type Work = (changed: readonly string[]) => void | Promise<void>;

/**
 * `places`: paths of files and directories, which may not be there. Works at once, and again when some have changed and then been the same for two looks.
 * What `work` throws is printed as what happened to `command`; an interruption ends it all.
 */
export async function watchProject(
  shell: Shell,
  { places, command }: Watched,
  work: Work,
): Promise<void> {
  const { scheduler } = shell.world;
  using interruption = shell.interruption('every');
  const { happened, signal } = interruption;
  const wait = () => Promise.race([pause(scheduler, lookMs), happened]);
  try {
    for (let worked: Traces = new Map(); ; ) {
      const seen = await settled(places, worked, wait);
      const changed = places.filter((place) => seen.get(place) !== worked.get(place));
      await attempt(shell, { command, signal }, () => {
        for (const place of changed) refuseEndless(place);
        return work(changed);
      });
      worked = seen;
    }
  } catch (error) {
    // Ctrl-C is how watching ends: that is no failure. What it came upon is worth a line.
    if (!isInterruption(error) && !signal.aborted) throw error;
    const { message } = error as Error;
    if (message !== interruptedFailure().message) shell.note(message);
  }
}

/** The traces of the places, once they are others than `worked` and have been the same twice. */
async function settled(
  places: readonly string[],
  worked: Traces,
  wait: () => Promise<void>,
): Promise<Traces> {
  for (let before = worked; ; ) {
    const now = new Map(places.map((place) => [place, traceOf(place)]));
    const isAs = (other: Traces) => places.every((place) => now.get(place) === other.get(place));
    if (!isAs(worked) && (isAs(before) || worked.size === 0)) return now;
    before = now;
    await wait();
  }
}

async function attempt(
  { mode }: Shell,
  { command, signal }: { readonly command: string; readonly signal: AbortSignal },
  work: () => void | Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isInterruption(error) || signal.aborted) throw error;
    const trouble = troubleOf(error, command);
    if (trouble !== undefined) printError(mode, trouble);
  }
}

function isInterruption(error: unknown): boolean {
  return error instanceof CommandFailure && error.facts.code === 'interrupted';
}

/** Reading a pipe may wait for ever, and nothing else would go on meanwhile. */
function refuseEndless(path: string): void {
  if (!isEndless(path)) return;
  throw new CommandFailure({
    code: 'file_unusable',
    message: `${relative(process.cwd(), path)} is a pipe or a device, not a file`,
    hint: 'nothing was changed: what is watched is a file',
  });
}

function isEndless(path: string): boolean {
  try {
    const found = statSync(path);
    return !found.isFile() && !found.isDirectory();
  } catch {
    // Reading the file says what is wrong.
    return false;
  }
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
