/** `svc.schema.yaml` of a project, read and checked before it is sent to a server. */

import { join, resolve } from 'node:path';
import { type Catalog, schemaHash } from '#catalog';
import { type DesiredPolicies, type Diagnostic, diagnosticExcerpt, parseSchema } from '#schema';
import { CommandFailure } from '../frame/command-failure.ts';
import { unreadable } from './config.ts';
import { readAtMost } from './read-file.ts';

export const schemaFile = 'svc.schema.yaml';

/** Returns an absolute path. `given` is the value of `--file`. */
export function schemaPathOf(root: string, given: string | undefined): string {
  return given === undefined ? join(root, schemaFile) : resolve(given);
}

export interface DesiredSchema {
  readonly text: string;
  readonly catalog: Catalog;
  readonly hash: string;
  readonly policies: DesiredPolicies;
  /** Warnings with position and source line, ready for display. */
  readonly warnings: readonly string[];
}

/** Reads and checks the schema file. `shown` is its name in messages. Throws a CommandFailure with all errors. */
export function readSchemaFile(path: string, shown: string): DesiredSchema {
  const bytes = readBytes(path, shown);
  const parsed = parseSchema(bytes, shown);
  const show = (diagnostic: Diagnostic) => diagnosticExcerpt(parsed.source, diagnostic);
  if (parsed.kind === 'broken') {
    const { errors } = parsed;
    const count = errors.length === 1 ? 'one error' : `${errors.length} errors`;
    throw new CommandFailure({
      code: 'schema_invalid',
      message: `${shown} has ${count}\n\n${errors.map(show).join('\n\n')}`,
      details: {
        errors: errors.map(({ message, hint, line, column }) => ({ message, hint, line, column })),
      },
    });
  }
  const { catalog, policies } = parsed;
  return {
    text: Buffer.from(bytes).toString('utf8'),
    catalog,
    hash: schemaHash(catalog),
    policies,
    warnings: parsed.warnings.map(show),
  };
}

/** Maximum size of a schema file. A device or a pipe may never end. */
const bytesMax = 2 ** 24;

function readBytes(path: string, shown: string): Uint8Array {
  try {
    const bytes = readAtMost(path, bytesMax);
    if (bytes !== undefined) return bytes;
    throw new Error(`it exceeds ${bytesMax / 2 ** 20} MiB`);
  } catch (error) {
    const isMissing = (error as { code?: string }).code === 'ENOENT';
    throw new CommandFailure({
      code: 'schema_unavailable',
      message: unreadable(shown, error),
      hint: isMissing
        ? '`svc init` creates one, `svc schema pull` imports that of the database; --file selects another'
        : `--file expects the schema file itself, such as ${schemaFile}`,
    });
  }
}
