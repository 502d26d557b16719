/** Computes how many connections fit under the limit of open files. The rest of the limit is for the store. */

import { readFileSync } from 'node:fs';
import { openFileLimit } from '../c-library.ts';
import { RefusedOption } from '../refused-option.ts';

/** Descriptors for SSTables, the log and other files. With few descriptors, half of them are reserved. */
const reservedMost = 1024;
const descriptorsMin = 256;
const connectionsUsual = 10_000;

/**
 * Returns the maximum number of connections. `asked` is `undefined` without the option. Throws a `RefusedOption` if the
 * value does not fit.
 */
export function connectionLimit(asked: number | undefined, descriptors: number): number {
  if (descriptors < descriptorsMin) {
    throw new RefusedOption(
      'the limit of open files (ulimit -n)',
      String(descriptors),
      `at least ${descriptorsMin}`,
    );
  }
  const most = descriptors - Math.min(reservedMost, Math.ceil(descriptors / 2));
  if (asked === undefined) return Math.min(connectionsUsual, most);
  if (asked <= most) return asked;
  const why = `at most ${most}, because the limit of open files is ${descriptors} (ulimit -n)`;
  throw new RefusedOption('--max-connections', String(asked), why);
}

/**
 * Returns the limit of open files, which the runtime has already raised to its maximum. Reads it from `/proc`, or from
 * the C library if `/proc` does not exist. Returns infinity without a limit.
 */
export function descriptorLimit(read = readLimits): number {
  try {
    const found = /^Max open files +(\d+)/m.exec(read());
    return found === null ? Number.POSITIVE_INFINITY : Number(found[1]);
  } catch {
    return openFileLimit() ?? Number.POSITIVE_INFINITY;
  }
}

function readLimits(): string {
  return readFileSync('/proc/self/limits', 'utf8');
}
