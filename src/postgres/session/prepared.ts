/** A statement that was parsed, and perhaps named. */

import type { Catalog } from '#catalog';
import type { PlacedStatement, SqlColumn, SqlType } from '#sql';
import type { CompiledStatement } from '../run/compiled-statement.ts';

/** A compiled statement, and the state for which it was compiled. */
export interface Compilation {
  readonly statement: CompiledStatement;
  readonly catalog: Catalog;
  readonly settingsVersion: number;
  readonly visibilityClass: string;
}

export interface Prepared {
  readonly name: string;
  readonly text: string;
  /** `undefined` for a text without a statement. */
  readonly placed: PlacedStatement | undefined;
  /** The declared types of the parameters; `undefined` where the context decides. */
  readonly types: readonly (SqlType | undefined)[];
  /** The statement as it was compiled last. */
  compiled?: Compilation;
  /** The shape that the client has learned; `undefined` until it has asked. */
  described?: readonly SqlColumn[] | undefined;
}
