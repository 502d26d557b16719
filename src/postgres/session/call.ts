/** A statement to perform, with the values of its parameters. */

import type { SqlValue } from '#sql';
import type { Prepared } from './prepared.ts';

export interface Call {
  readonly prepared: Prepared;
  readonly values: readonly SqlValue[];
  /** Formats of the columns as the client has given them. */
  readonly formats: readonly number[];
}
