/** The key-value operations of a statement. */

export interface StatementWork {
  readonly gets: number;
  readonly puts: number;
  readonly deletes: number;
  readonly scans: number;
  readonly iterated: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

export const workMembers = [
  'gets',
  'puts',
  'deletes',
  'scans',
  'iterated',
  'bytesRead',
  'bytesWritten',
] as const satisfies readonly (keyof StatementWork)[];
