/** The input of the compiler, in addition to the tree of a statement. */

import type { Node } from 'libpg-query';
import type { Catalog } from '#catalog';
import type { SqlType } from './types/sql-type.ts';

/** A literal that the lexer has cut out of the text. A node `$n` with `n` above the number of parameters refers to it. */
export interface CutLiteral {
  /** A string has no type until its context gives it one. */
  readonly kind: 'string' | 'integer' | 'decimal';
  readonly text: string;
}

export interface CompileSetting {
  /** The tables that the principal may see. */
  readonly catalog: Catalog;
  readonly mode: 'direct' | 'schema';
  /** The schemas of `search_path`, in order. */
  readonly searchPath: readonly string[];
  readonly timeZone: string;
  /** How columns of the format `unix_ms` appear. */
  readonly unixMs: 'timestamptz' | 'int8';
}

export interface CompileInput {
  readonly node: Node;
  /** The text of the whole message, for positions of errors. */
  readonly text: string;
  /** The declared types of `$1`, `$2`, …; `undefined` where the context decides. */
  readonly parameterTypes: readonly (SqlType | undefined)[];
  readonly literals: readonly CutLiteral[];
  readonly setting: CompileSetting;
}
