/**
 * `svc.state/lineage/`: which accepted schema followed which one in a schema file, an empty file for each step. What a file left behind on its
 * way to the schema that it has was left on purpose, or with consent; files of this kind merge without a conflict.
 */

import { join } from 'node:path';
import { startOfHash } from './accepted.ts';
import type { StateDirectory } from './state-directory.ts';
import { createWhole } from './write-file.ts';

const directory = 'lineage';
const nameOfFile = /^([0-9a-f]{16})-after-([0-9a-f]{16})$/;

export class Lineage {
  private readonly state: StateDirectory;

  constructor(state: StateDirectory) {
    this.state = state;
  }

  add(hash: string, former: string): void {
    if (hash === former) return;
    const name = `${startOfHash(hash)}-after-${startOfHash(former)}`;
    createWhole(this.state.prepared(join(directory, name)), '');
  }

  /** The starts of the hashes of all schemas that led to this one, the nearest first. */
  before(hash: string): readonly string[] {
    const steps = this.steps();
    const found = new Set([startOfHash(hash)]);
    // Grows while it is gone through.
    for (const start of found) {
      for (const [after, former] of steps) if (after === start) found.add(former);
    }
    return [...found].slice(1);
  }

  /** Starts of the hashes of two schemas, the later one first. */
  steps(): readonly (readonly [after: string, former: string])[] {
    return this.state.names(directory).flatMap((name) => {
      const [, after, former] = nameOfFile.exec(name) ?? [];
      return after === undefined || former === undefined ? [] : [[after, former] as const];
    });
  }
}
