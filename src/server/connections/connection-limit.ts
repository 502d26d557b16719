/** How many connections fit under the limit of open files: the rest of it is for the store. */

import { readFileSync } from 'node:fs';
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

/** What the system allows this process; the runtime has raised it as far as it goes. Without such a limit, or where it is not told, infinite. */
export function descriptorLimit(): number {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return found === null ? Number.POSITIVE_INFINITY : Number(found[1]);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
