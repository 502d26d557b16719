/** Checks files of a project until Ctrl-C, and repeats its work when a file has changed. */

import { readdirSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { pause } from '#base';
import { CommandFailure } from '../frame/command-failure.ts';
import { printError } from '../frame/output.ts';
import { reportedErrorOf } from '../frame/reported-error.ts';
import { interruptedFailure, type Shell } from '../frame/shell.ts';

/** Interval between two checks. Changes within one interval are handled together. */
const checkIntervalMs = 100;

/** Paths with the state that was found at the last check. */
type Traces = ReadonlyMap<string, string>;

interface Watched {
  readonly places: readonly string[];
  readonly command: string;
}

/** Receives the changed places. The first call receives all of them. */
type Work = (changed: readonly string[]) => void | Promise<void>;

/**
 * Watches files and directories. `places` are their paths, which may not exist yet. Calls `work` immediately, and again after some places have changed and two
 * consecutive checks have found them unchanged. An error of `work` is printed as an error of `command`. An interruption ends the watch.
 */
export async function watchProject(
  shell: Shell,
  { places, command }: Watched,
  work: Work,
): Promise<void> {
  const { scheduler } = shell.world;
  using interruption = shell.interruption('every');
  const { happened, signal } = interruption;
  const wait = () => Promise.race([pause(scheduler, checkIntervalMs), happened]);
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
    // Ctrl-C is the normal end of a watch and not a failure. The message of an interrupted operation is printed.
    if (!isInterruption(error) && !signal.aborted) throw error;
    const { message } = error as Error;
    if (message !== interruptedFailure().message) shell.note(message);
  }
}

/** Returns the states of the places once they differ from `worked` and two consecutive checks are equal. The first call does not wait. */
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
  shell: Shell,
  { command, signal }: { readonly command: string; readonly signal: AbortSignal },
  work: () => void | Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isInterruption(error) || signal.aborted) throw error;
    const trouble = reportedErrorOf(error, command);
    if (trouble !== undefined) printError(shell, trouble);
  }
}

function isInterruption(error: unknown): boolean {
  return error instanceof CommandFailure && error.facts.code === 'interrupted';
}

/** Rejects pipes and devices. Reading a pipe can block forever, and with it all other work. */
function refuseEndless(path: string): void {
  if (!isEndless(path)) return;
  throw new CommandFailure({
    code: 'file_unusable',
    message: `${relative(process.cwd(), path)} is a pipe or a device, not a file`,
    hint: 'nothing was changed; only files can be watched',
  });
}

function isEndless(path: string): boolean {
  try {
    const found = statSync(path);
    return !found.isFile() && !found.isDirectory();
  } catch {
    // Reading the file later reports the problem.
    return false;
  }
}

/** Returns a text that changes with the file. For a directory, it consists of the names in it. */
function traceOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    const isDirectory = statSync(path).isDirectory();
    return isDirectory ? readdirSync(path).sort().join() : `${mtimeMs} ${size} ${ino}`;
  } catch {
    return 'none';
  }
}
