/** The acceptance cases of tests/cases: loading, and what a case consists of. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseLossless } from './lossless.ts';
import type { SchemaFile } from './schema-file.ts';

export interface Case {
  readonly name: string;
  readonly theme: string;
  readonly schema: SchemaFile;
  readonly seed: readonly SeedGroup[];
  readonly program: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly reason: string };
  readonly assertions?: readonly Assertion[];
  /** Expected `affected` of each statement. */
  readonly affected?: readonly number[];
  /** Absent: `schema`. */
  readonly mode?: 'direct';
}

export interface SeedGroup {
  readonly table: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** A query that runs after the program, also after a failed one. */
export interface Assertion {
  readonly name: string;
  readonly query: unknown;
  readonly expect: unknown;
}

const directory = join(import.meta.dir, '..', 'cases');

export function loadCases(): readonly Case[] {
  return readdirSync(directory).flatMap((theme) =>
    readdirSync(join(directory, theme)).map((file) => {
      const text = readFileSync(join(directory, theme, file), 'utf8');
      return { ...(parseLossless(text) as Case), theme };
    }),
  );
}
