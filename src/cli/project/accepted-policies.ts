/**
 * `svc.state/policies/`: the hashes of the policies that databases of this project have had, one file each, so that branches merge without a conflict. Policies
 * that are not among them were changed by another developer.
 */

import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { startOfHash } from './accepted.ts';
import { parsedAs } from './json-file.ts';
import type { StateDirectory } from './state-directory.ts';
import { createWhole } from './write-file.ts';

const directory = 'policies';
const PolicyFile = Type.Object({ format_version: Type.Literal(1), policy_hash: Type.String() });

export class AcceptedPolicies {
  private readonly state: StateDirectory;

  constructor(state: StateDirectory) {
    this.state = state;
  }

  has(hash: string): boolean {
    return parsedAs(PolicyFile, this.state.text(fileOf(hash)))?.policy_hash === hash;
  }

  add(hash: string): void {
    const file: Static<typeof PolicyFile> = { format_version: 1, policy_hash: hash };
    createWhole(this.state.prepared(fileOf(hash)), `${JSON.stringify(file)}\n`);
  }
}

function fileOf(hash: string): string {
  return join(directory, `${startOfHash(hash)}.json`);
}
