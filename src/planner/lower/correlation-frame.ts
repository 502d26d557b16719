/** Registers, through which a plan that runs once per outer row reads that row. */

import type { RegisterBinding } from '../plan/relation.ts';

export class CorrelationFrame {
  /** Column indexes of the row that sets the registers. */
  private readonly columnIndexes: ReadonlyMap<number, number>;
  private readonly parent: CorrelationFrame | undefined;
  private readonly registers = new Map<number, number>();

  constructor(columnIndexes: ReadonlyMap<number, number>, parent: CorrelationFrame | undefined) {
    this.columnIndexes = columnIndexes;
    this.parent = parent;
  }

  /** Returns the register that holds this column of an enclosing row; `undefined` if no enclosing row has the column. */
  registerOf(id: number, planning: { nextRegister(): number }): number | undefined {
    if (!this.columnIndexes.has(id)) return this.parent?.registerOf(id, planning);
    let register = this.registers.get(id);
    if (register === undefined) {
      register = planning.nextRegister();
      this.registers.set(id, register);
    }
    return register;
  }

  has(id: number): boolean {
    return this.columnIndexes.has(id) || this.parent?.has(id) === true;
  }

  /** Returns the registers to set for each row. Registers that the plan does not read are left out. */
  bindings(): readonly RegisterBinding[] {
    return [...this.registers].map(([id, register]) => ({
      register,
      columnIndex: this.columnIndexes.get(id) as number,
    }));
  }
}
