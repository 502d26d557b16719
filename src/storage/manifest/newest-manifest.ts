/**
 * Detects a storage location that lists objects which do not exist. The names of manifests only
 * increase, and only those below the highest are deleted. A listed manifest that is missing
 * therefore has a newer one by now. A storage location that repeatedly lists the same missing
 * manifest is broken.
 */

import { StorageError } from '../object/storage-fault.ts';

const timesMax = 8;

export class NewestManifestWatch {
  private name = '';
  private times = 0;

  /**
   * Records that `name` was listed as the newest manifest and did not exist. Throws `io` after
   * eight consecutive occurrences.
   */
  noteMissing(name: string): void {
    this.times = name === this.name ? this.times + 1 : 1;
    this.name = name;
    if (this.times < timesMax) return;
    throw new StorageError({ kind: 'io', operation: 'read', object: name });
  }
}
