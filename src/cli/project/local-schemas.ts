/**
 * `svc.state/local/`: markers of the accepted schemas that this copy of the project has had in its schema file. They belong to this machine only. A merge of
 * branches adds schemas to the project, but a table that this copy's file never had was not deleted in it.
 */

import { join } from 'node:path';
import { startOfHash } from './accepted.ts';
import type { StateDirectory } from './state-directory.ts';
import { createWhole, writeWhole } from './write-file.ts';

const directory = 'local';
const lastFile = join(directory, 'last');
const wholeHash = /^sha256:[0-9a-f]{64}$/;
const nameOfFile = /^[0-9a-f]{16}$/;

export class LocalSchemas {
  private readonly state: StateDirectory;

  constructor(state: StateDirectory) {
    this.state = state;
  }

  add(hash: string): void {
    // The `.gitignore` of the state directory, as earlier versions wrote it, does not exclude this directory.
    createWhole(this.state.prepared(join(directory, '.gitignore')), '*\n');
    createWhole(this.state.prepared(join(directory, startOfHash(hash))), `${hash}\n`);
    writeWhole(this.state.prepared(lastFile), `${hash}\n`);
  }

  /** Returns the hash that was added last, or `undefined` if there is none or the file is damaged. */
  last(): string | undefined {
    const text = this.state.text(lastFile)?.trim() ?? '';
    return wholeHash.test(text) ? text : undefined;
  }

  /** Returns the starts of the hashes, as `startOfHash` returns them. */
  starts(): readonly string[] {
    return this.state.names(directory).filter((name) => nameOfFile.test(name));
  }
}
