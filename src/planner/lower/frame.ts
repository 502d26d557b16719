/** Registers: how a plan that runs for one row of another plan reads that row. */

import type { RegisterBinding } from '../plan/relation.ts';

export class Frame {
  /** Of the row that sets the registers. */
  private readonly columnIndexes: ReadonlyMap<number, number>;
  private readonly parent: Frame | undefined;
  private readonly registers = new Map<number, number>();

  constructor(columnIndexes: ReadonlyMap<number, number>, parent: Frame | undefined) {
    this.columnIndexes = columnIndexes;
    this.parent = parent;
  }

  /** The register that holds this column of an enclosing row. */
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

  /** What to set for each row: only registers that are read. */
  bindings(): readonly RegisterBinding[] {
    return [...this.registers].map(([id, register]) => ({
      register,
      columnIndex: this.columnIndexes.get(id) as number,
    }));
  }
}
