/** One database that the benchmark loads and queries. */

import type { EngineName, Question } from '../question.ts';
import type { ShopTable } from '../tables.ts';

export interface Engine extends AsyncDisposable {
  readonly name: EngineName;
  /** Creates a table and fills it. The indexes exist before the rows; without them the table has its primary key only. */
  load(table: ShopTable, indexes?: ShopTable['indexes']): Promise<void>;
  addIndex(table: ShopTable, columns: readonly string[]): Promise<void>;
  dropIndex(table: ShopTable, columns: readonly string[]): Promise<void>;
  ask(question: Pick<Question, 'program' | 'sql'>, turn: number): unknown;
  /** Waits until nothing that follows a load slows the questions. */
  settle?(): Promise<void>;
}

/** A request that an engine refuses. `reason` is the code of its problem. */
export class Problem extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The code of a failure, for a cell of a table. */
export function reasonOf(error: unknown): string {
  if (error instanceof Problem) return error.reason;
  return error instanceof Error ? error.message.slice(0, 60) : String(error);
}

export function indexName(table: string, columns: readonly string[]): string {
  return `${table}_by_${columns.join('_')}`;
}
