/** Opens the directory for spill files before the server starts. */

import type { Random } from '#base';
import { openSpillSpace, type SpillSpace, StorageError } from '#storage';
import type { ServeConfiguration } from './configuration.ts';
import { RefusedOption } from './refused-option.ts';

/** Returns `undefined` without `--spill-path`. Throws a `RefusedOption` if the path is not a writable directory. */
export function spillSpaceOf(
  { spillPath, spillBytesMax }: Pick<ServeConfiguration, 'spillPath' | 'spillBytesMax'>,
  random: Random,
): SpillSpace | undefined {
  if (spillPath === undefined) return undefined;
  try {
    return openSpillSpace(spillPath, random, { limitBytes: spillBytesMax });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const allowed = `a directory that this process may write to (${systemWords(error)})`;
    throw new RefusedOption('--spill-path', spillPath, allowed);
  }
}

function systemWords({ cause, message }: StorageError): string {
  return cause instanceof Error ? cause.message : message;
}
