/** Where the schema file of a project is. */

import { join, resolve } from 'node:path';
import { schemaFile } from './schema-file.ts';

/** Absolute. `given`: what `--file` says. */
export function schemaPathOf(root: string, given: string | undefined): string {
  return given === undefined ? join(root, schemaFile) : resolve(given);
}
