/** The identity of an operator, for failures and diagnostics, and its counters. */

import type { ExecutionContext } from '#failure';

const none: readonly OperatorProfile[] = [];

export class OperatorProfile {
  readonly operator: string;
  /** Id of the plan node in its statement; -1 for work outside of a relation. */
  readonly id: number;
  readonly table: string | undefined;
  readonly index: string | undefined;
  /** Inputs, left to right: the sum of their `rowsOut` is `rowsIn`. */
  readonly inputs: readonly OperatorProfile[];
  calls = 0;
  rowsOut = 0;

  constructor(operator: string, id: number, names: SiteNames = {}) {
    this.operator = operator;
    this.id = id;
    this.table = names.table;
    this.index = names.index;
    this.inputs = names.inputs ?? none;
  }

  get rowsIn(): number {
    let rows = 0;
    for (const input of this.inputs) rows += input.rowsOut;
    return rows;
  }

  context(): ExecutionContext {
    return {
      operator: this.operator,
      ...(this.id < 0 ? {} : { operator_id: String(this.id) }),
      ...(this.table === undefined ? {} : { table: this.table }),
      ...(this.index === undefined ? {} : { index: this.index }),
    };
  }
}

interface SiteNames {
  readonly table?: string;
  readonly index?: string | undefined;
  readonly inputs?: readonly OperatorProfile[];
}
