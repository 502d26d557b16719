/** A program of catalog statements, as a statement of SQL builds it. */

import type { CatalogChange } from '#catalog';
import type { CatalogStatement, Statement } from '#pir';
import type { CompileInput, CompileSetting } from '../compile-input.ts';
import type { Compiled, StatementNotice } from '../compiled.ts';
import { type NodeLocation, positionOf } from '../parse/position.ts';
import { type SqlError, type SqlTrouble, sqlError, unsupported } from '../sql-error.ts';

/** A change of the catalog, or a function that returns it when the time of the execution is known. */
type Change = CatalogChange | ((transactionMs: number) => CatalogChange);

export class CatalogProgram {
  readonly input: CompileInput;
  readonly #changes: Change[] = [];
  readonly #notices: StatementNotice[] = [];

  constructor(input: CompileInput) {
    this.input = input;
  }

  get setting(): CompileSetting {
    return this.input.setting;
  }

  add(change: Change): void {
    this.#changes.push(change);
  }

  notice(sqlstate: string, message: string): void {
    this.#notices.push({ sqlstate, message });
  }

  error(
    sqlstate: string,
    message: string,
    more: Omit<SqlTrouble, 'sqlstate' | 'message' | 'position'> & { location?: NodeLocation } = {},
  ): SqlError {
    const { location = -1, ...rest } = more;
    return sqlError(sqlstate, message, { ...rest, position: this.position(location) });
  }

  unsupported(feature: string, hint?: string, location: NodeLocation = -1): SqlError {
    const position = this.position(location);
    return unsupported(feature, { position, ...(hint !== undefined && { hint }) });
  }

  position(location: NodeLocation): number | undefined {
    return positionOf(this.input.text, location);
  }

  finish(tag: string): Compiled {
    const changes = [...this.#changes];
    return {
      tag,
      isCounted: false,
      isReadOnly: changes.length === 0,
      isCatalogChange: changes.length > 0,
      parameters: [],
      columns: undefined,
      pinned: [],
      effects: [],
      notices: this.#notices,
      variant: () => '',
      instantiate: ({ session }) => ({
        program: {
          statements: changes.length === 0 ? [nothing] : named(changes, session.transactionMs),
        },
        places: new Map(),
      }),
    };
  }
}

/** A program has a statement. This query reads nothing, and its result is not shown. */
const nothing: Statement = {
  kind: 'query',
  name: 'c1',
  relation: {
    nodes: { r: { kind: 'rows', scope: 'r', columns: [{ name: 'c1', type: 'bool' }], rows: [] } },
    root: { node: 'r', cardinality: 'many', unordered: true },
  },
};

function named(changes: readonly Change[], transactionMs: number): readonly CatalogStatement[] {
  return changes.map((change, index) => ({
    ...(typeof change === 'function' ? change(transactionMs) : change),
    name: `c${index + 1}`,
  }));
}
