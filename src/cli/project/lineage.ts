/**
 * `svc.state/lineage/`: the order in which accepted schemas followed each other in a schema file, with one empty file for each step. An object that the file
 * lost between two of these schemas was removed deliberately or after a confirmation. The files merge without a conflict.
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

  /** Returns the starts of the hashes of all schemas that led to this one, nearest first. */
  before(hash: string): readonly string[] {
    const steps = this.steps();
    const found = new Set([startOfHash(hash)]);
    // The set grows during the iteration.
    for (const start of found) {
      for (const [after, former] of steps) if (after === start) found.add(former);
    }
    return [...found].slice(1);
  }

  /** Returns pairs of starts of hashes, the later schema first. */
  steps(): readonly (readonly [after: string, former: string])[] {
    return this.state.names(directory).flatMap((name) => {
      const [, after, former] = nameOfFile.exec(name) ?? [];
      return after === undefined || former === undefined ? [] : [[after, former] as const];
    });
  }
}
