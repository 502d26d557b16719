/** Slips that change nothing anybody could see, each with the reason. They are known by their text, wherever its lines move. */

import type { Slip } from './slip.ts';

export interface Equivalent {
  readonly file: string;
  /** The touched lines, single-spaced, as `npm run mutate` prints them. */
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [];

export function reasonOf({ file, before, after }: Slip): string | undefined {
  return equivalents.find(
    (known) => known.file === file && known.before === before && known.after === after,
  )?.reason;
}
