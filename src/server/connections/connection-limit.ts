/** How many connections fit under the limit of open files: the rest of it is for the store. */

import { readFileSync } from 'node:fs';
import { openFileLimit } from '../c-library.ts';
import { RefusedOption } from '../refused-option.ts';

/** For tables, the log, and what else a process opens. With few descriptors, half of them. */
const reservedMost = 1024;
const descriptorsMin = 256;
const connectionsUsual = 10_000;

/** `asked` is undefined without the option. Throws a RefusedOption for what does not fit. */
export function connectionLimit(asked: number | undefined, descriptors: number): number {
  if (descriptors < descriptorsMin) {
    throw new RefusedOption(
      'the limit of open files (ulimit -n)',
      String(descriptors),
      `${descriptorsMin} at least`,
    );
  }
  const most = descriptors - Math.min(reservedMost, Math.ceil(descriptors / 2));
  if (asked === undefined) return Math.min(connectionsUsual, most);
  if (asked <= most) return asked;
  const why = `at most ${most}, as ${descriptors} files may be open (ulimit -n)`;
  throw new RefusedOption('--max-connections', String(asked), why);
}

/** Returns the limit of open files, which the runtime has raised as far as it can: from `/proc`, elsewhere from the C library. Infinity without a limit. */
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
