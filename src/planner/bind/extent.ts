/** Limits the columns of a program, counted at every node. They take time and memory to plan, even if no rows are read. */

export const columnsMax = 250_000;
/** Maximum number of columns of one relation. */
export const relationColumnsMax = 10_000;
/** Maximum number of terms of one order. */
export const orderTermsMax = 1_000;

export class Extent {
  private columns = 0;

  readonly detail =
    `the relations of a program have at most ${columnsMax} columns, counted at each node; expose fewer columns, or send several programs`;

  /** Adds columns, and returns false if the program now exceeds its limit. */
  add(columns: number): boolean {
    this.columns += columns;
    return this.columns <= columnsMax;
  }
}
