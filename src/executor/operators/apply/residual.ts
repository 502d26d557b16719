/** The condition of a lookup join besides its keys, for as many pairs as can be worked on in one go. */

import type { LookupJoinPlan } from '#planner';
import type { Datum } from '#value';
import type { Vector } from '../../batch/vector.ts';
import { compile, type Frame } from '../../kernels/compile.ts';
import { type Select, selectTrue } from '../../kernels/kernel.ts';
import { rowsOfTerms, sizeOf, termBytes, termsOfRow } from '../expression-size.ts';
import type { Span } from '../join/join-output.ts';
import {
  bytesOfRow,
  bytesOfTerm,
  lengthOf,
  looksThroughTexts,
  portionBytes,
  textColumnIndexes,
} from '../portions.ts';

export class Residual {
  readonly select: Select;
  /** Pairs that are evaluated in one go. */
  readonly rowsMax: number;
  /** Memory of its parts, if there are so many that they count. */
  readonly bytes: number;
  /** Bytes that take as long to look through as the terms for one pair; 0 if they are few. */
  private readonly termsWork: number;
  /** Right texts that are looked through. */
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

  /** The end of the rows that come next, and what they take of a budget. */
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
