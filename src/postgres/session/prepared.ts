/** A statement that was parsed, and perhaps named. */

import type { Node } from 'libpg-query';
import type { Catalog } from '#catalog';
import type { RecognizedStatement, SqlColumn, SqlStatement, SqlType, SqlValue } from '#sql';
import { unsupported } from '#sql';
import type { CompiledStatement } from '../run/compiled-statement.ts';

/** A statement within another one, as in EXPLAIN. */
interface NestedProgram {
  readonly kind: 'nested';
  readonly node: Node;
  readonly parametersMax: number;
}

/** A compiled statement, and the state for which it was compiled. */
export interface Compilation {
  readonly statement: CompiledStatement;
  /** The values of the literals of the text. */
  readonly literals: readonly SqlValue[];
  readonly catalog: Catalog;
  readonly settingsVersion: number;
  readonly visibilityClass: string;
}

export interface Prepared {
  readonly name: string;
  readonly text: string;
  /** `undefined` for a text without a statement. */
  readonly statement: RecognizedStatement | NestedProgram | undefined;
  /** The declared types of the parameters; `undefined` where the context decides. */
  readonly types: readonly (SqlType | undefined)[];
  /** The newest compilation. */
  compiled?: Compilation;
  /** The shape that the client has learned; `undefined` until it has asked. */
  described?: readonly SqlColumn[] | undefined;
}

/** Returns a statement within another one. Throws `0A000` if it is not a program. */
export function nestedIn(
  { text, types, statement: outer }: Prepared,
  inner: SqlStatement,
): Prepared {
  if (inner.kind !== 'program') throw unsupported('a statement of this kind within another one');
  const { parametersMax = 0 } = outer ?? {};
  return { name: '', text, types, statement: { kind: 'nested', node: inner.node, parametersMax } };
}
