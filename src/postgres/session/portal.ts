/** A bound statement, and the rows of its result that the client has not fetched yet. */

import type { SqlValue } from '#sql';
import type { Outcome } from './outcome.ts';
import type { Prepared } from './prepared.ts';

export class Portal {
  readonly name: string;
  readonly prepared: Prepared;
  readonly values: readonly SqlValue[];
  /** Formats of the columns as the client has given them. */
  readonly formats: readonly number[];
  /** The result, once the statement has run. */
  outcome: Outcome | undefined;
  /** The portals of a session are numbered from 1. */
  number = 0;
  /** Number of rows that were fetched. */
  fetched = 0;

  constructor(
    name: string,
    prepared: Prepared,
    values: readonly SqlValue[],
    formats: readonly number[],
  ) {
    this.name = name;
    this.prepared = prepared;
    this.values = values;
    this.formats = formats;
  }

  get rows(): number {
    return this.outcome?.result?.rows.length ?? 0;
  }

  close(): void {
    this.outcome?.held?.close();
    this.outcome = undefined;
  }
}
