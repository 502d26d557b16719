/**
 * `svc.state/local/`: the accepted schemas that this copy of the project has had in its schema file, a marker each. They are of this machine
 * alone: what came by a merge of branches is known to the project, but a table that this copy's file never had was not deleted here.
 */

import { join } from 'node:path';
import { startOfHash } from './accepted.ts';
import type { StateDirectory } from './state-directory.ts';
import { createWhole, writeWhole } from './write-file.ts';

const directory = 'local';
const lastFile = join(directory, 'last');
const wholeHash = /^sha256:[0-9a-f]{64}$/;
const nameOfFile = /^[0-9a-f]{16}$/;

export class HeldSchemas {
  private readonly state: StateDirectory;

  constructor(state: StateDirectory) {
    this.state = state;
  }

  add(hash: string): void {
    // A state directory of an earlier version ignores other names only.
    createWhole(this.state.prepared(join(directory, '.gitignore')), '*\n');
    createWhole(this.state.prepared(join(directory, startOfHash(hash))), `${hash}\n`);
    writeWhole(this.state.prepared(lastFile), `${hash}\n`);
  }

  /** The hash of the one that was added last; undefined before the first, and where somebody spoilt the file. */
  last(): string | undefined {
    const text = this.state.text(lastFile)?.trim() ?? '';
    return wholeHash.test(text) ? text : undefined;
  }

  /** As `startOfHash` gives them. */
  starts(): readonly string[] {
    return this.state.names(directory).filter((name) => nameOfFile.test(name));
  }
}
