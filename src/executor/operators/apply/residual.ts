/** The condition of a lookup join in addition to its keys. This class limits the number of pairs that are evaluated between two yields. */

import type { LookupJoinPlan } from '#planner';
import type { Datum } from '#value';
import type { Vector } from '../../batch/vector.ts';
import { compile, type Frame } from '../../kernels/compile.ts';
import { type Select, selectTrue } from '../../kernels/kernel.ts';
import {
  bytesOfRow,
  bytesOfTerm,
  lengthOf,
  looksThroughTexts,
  portionBytes,
  textColumnIndexes,
} from '../batch-splitter.ts';
import { rowsOfTerms, sizeOf, termBytes, termsOfRow } from '../expression-size.ts';
import type { Span } from '../join/join-output.ts';

export class Residual {
  readonly select: Select;
  /** Maximum number of pairs that are evaluated without a yield. */
  readonly rowsMax: number;
  /** Bytes of memory of the terms; 0 if there are too few to matter. */
  readonly bytes: number;
  /** Work of the terms for one pair, in bytes of text that could be read in the same time; 0 if the terms are few. */
  private readonly termsWork: number;
  /** Indexes of the right text columns that the condition reads. */
  private readonly columnIndexes: readonly number[];

  constructor(
    expression: NonNullable<LookupJoinPlan['residual']>,
    plan: LookupJoinPlan,
    frame: Frame,
  ) {
    const terms = sizeOf([expression]);
    this.select = selectTrue(compile(expression, frame));
    this.rowsMax = rowsOfTerms(terms);
    this.bytes = terms > termsOfRow ? terms * termBytes : 0;
    this.termsWork = terms > termsOfRow ? terms * bytesOfTerm : 0;
    this.columnIndexes = looksThroughTexts(expression) ? textColumnIndexes(plan.right) : [];
  }

  /** Returns the end of the next rows to evaluate, and their work as an argument of `Budget.pause`. */
  portion({ columns, from, to }: Span): { readonly to: number; readonly work: number } {
    if (this.termsWork === 0 && this.columnIndexes.length === 0) return { to, work: 0 };
    let bytes = 0;
    let end = from;
    for (; end < to && bytes < portionBytes; end++) {
      bytes += this.termsWork;
      for (let s = 0; s < this.columnIndexes.length; s++) {
        bytes += lengthOf((columns[this.columnIndexes[s] as number] as Vector)[end] as Datum);
      }
    }
    return { to: end, work: bytes / bytesOfRow };
  }
}
