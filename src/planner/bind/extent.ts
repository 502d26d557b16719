/** How much a program may expose: its columns, counted at every node, take time and memory to plan whether rows are read or not. */

export const columnsMax = 250_000;
/** Of one relation. */
export const relationColumnsMax = 10_000;
/** Of one order. */
export const orderTermsMax = 1_000;

export class Extent {
  private columns = 0;

  readonly detail =
    `the relations of a program have at most ${columnsMax} columns, counted at each node: expose fewer of them, or send several programs`;

  /** False when that is more than a program may have. */
  add(columns: number): boolean {
    this.columns += columns;
    return this.columns <= columnsMax;
  }
}
