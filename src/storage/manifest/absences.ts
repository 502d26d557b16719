/**
 * Looking for the newest manifest: names only grow, and only those below the highest are deleted, so one that is listed and not there has a
 * newer one by now. A place that lists one again and again that is not there is broken.
 */

import { StorageError } from '../object/trouble.ts';

const timesMax = 8;

export class Absences {
  private name = '';
  private times = 0;

  /** `name` was listed as the newest, and was not there. Throws `io` when that has happened too often. */
  note(name: string): void {
    this.times = name === this.name ? this.times + 1 : 1;
    this.name = name;
    if (this.times < timesMax) return;
    throw new StorageError({ kind: 'io', operation: 'read', object: name });
  }
}
