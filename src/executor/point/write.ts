/** The result of a compiled mutation of one row. */

import type { Steps } from '#base';
import type { Row } from '#value';
import type { MutationContext } from '../mutate/mutation-context.ts';

export interface PointWritten {
  /** The row as the statement returns it; empty if no row has the key. */
  readonly rows: readonly Row[];
  /** Further work that might have to wait, such as checks of references. The caller must run it until it ends. */
  readonly rest?: Steps<void> | undefined;
}

/**
 * Returns undefined, with nothing written, if operators have to do the work: a row has to be waited for, the program contains more than one row,
 * or a value cannot be computed.
 */
export type PointWrite = (mutationContext: MutationContext) => PointWritten | undefined;
