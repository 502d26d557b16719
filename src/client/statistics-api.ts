/** The part of the admin listener about programs that are kept for replay. */

import type { Connection } from './connection.ts';

/** Numbers of records; `deleted` is their sum. */
export interface Erased {
  readonly deleted: number;
  readonly executions: number;
  readonly programs: number;
}

/** All throw ServerProblem or Unreachable. */
export class StatisticsApi {
  private readonly connection: Connection;

  /** Of the admin listener. */
  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Erases the program with this hash, without one all of them. Repeating it after a lost answer is safe. */
  async eraseCorpus(program?: string): Promise<Erased> {
    const path = '/api/statistics/corpus';
    const one = program === undefined ? path : `${path}/${program}`;
    return (await this.connection.send('DELETE', one)) as Erased;
  }
}
