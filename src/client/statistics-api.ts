/** The part of the admin listener about programs that are stored for replay. */

import type { Connection } from './connection.ts';

/** Numbers of deleted records. `deleted` is the sum of the other two. */
export interface Erased {
  readonly deleted: number;
  readonly executions: number;
  readonly programs: number;
}

/** Requests about statistics. All methods throw ServerProblem or Unreachable. */
export class StatisticsApi {
  private readonly connection: Connection;

  /** `connection` is a connection to the admin listener. */
  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Deletes the program with this hash, or all programs if the hash is undefined. Repeating it after a lost response is safe. */
  async eraseCorpus(program?: string): Promise<Erased> {
    const path = '/api/statistics/corpus';
    const one = program === undefined ? path : `${path}/${program}`;
    return (await this.connection.send('DELETE', one)) as Erased;
  }
}
