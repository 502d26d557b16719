/**
 * Splits the batches of its input into batches that the operators above can process without a yield. A batch of a thousand long texts, of one
 * long text with a thousand rows, or below an expression of a thousand terms would block the event loop.
 */

import type { Pending } from '#base';
import type { PlanExpression, RelationPlan } from '#planner';
import { ByteString, type Datum } from '#value';
import type { Batch } from '../batch/batch.ts';
import { gather } from '../batch/row-store.ts';
import { batchRowsMax, denseSelection, type Vector } from '../batch/vector.ts';
import type { OperatorProfile } from '../operator-profile.ts';
import { sizeOf, termBytes, termsOfRow } from './expression-size.ts';
import type { Operator, QueryRun } from './operator.ts';
import type { RunningBound } from './scan/running-bound.ts';

/** Maximum number of characters and bytes that are read without a yield, unless a single row has more. */
export const portionBytes = 1 << 20;
/** Reading this many bytes takes about as long as processing a row. */
export const bytesOfRow = 1024;
/** Reading this many bytes takes about as long as evaluating a term for a row. */
export const bytesOfTerm = portionBytes / (termsOfRow * batchRowsMax);

/** The work that the expressions do for a row. */
interface Work {
  /** Indexes of the text columns that the expressions read. */
  readonly columnIndexes: readonly number[];
  /** Number of terms of the expressions; 0 if there are too few to matter. */
  readonly terms: number;
}

class BatchSplitter implements Operator {
  readonly site: OperatorProfile;
  private readonly input: Operator;
  private readonly columnIndexes: readonly number[];
  private readonly run: QueryRun;
  /** Work of the terms for one row, in bytes of text that could be read in the same time. */
  private readonly termsWork: number;
  private batch: Batch | undefined;
  /** Index in the selection at which the next portion begins. */
  private at = 0;

  constructor(input: Operator, { columnIndexes, terms }: Work, run: QueryRun) {
    this.site = input.site;
    this.input = input;
    this.columnIndexes = columnIndexes;
    this.run = run;
    this.termsWork = terms * bytesOfTerm;
    if (terms > 0) run.memory.reservation(input.site).resize(terms * termBytes);
  }

  open(): void {
    this.batch = undefined;
    this.input.open();
  }

  next(wanted: number): Batch | undefined | Pending {
    if (this.batch === undefined) {
      const batch = this.input.next(wanted);
      if (batch === undefined || batch instanceof Promise) return batch;
      // Below a large expression, the work of small batches is charged too.
      if (this.termsWork === 0 && this.workOf(batch) <= portionBytes) return batch;
      this.batch = batch;
      this.at = 0;
    }
    const { end, work } = this.portionOf(this.batch);
    const pause = this.run.budget.pause(work / bytesOfRow);
    return pause ?? this.take(this.batch, end);
  }

  close(): void {
    this.batch = undefined;
    this.input.close();
  }

  get isRepeatable(): boolean {
    return this.input.isRepeatable === true;
  }

  bound(columnIndex: number): RunningBound | undefined {
    return this.input.bound?.(columnIndex);
  }

  narrowTo(columnIndexes: ReadonlySet<number>, numbered?: ReadonlySet<number>): void {
    const read = new Set([...columnIndexes, ...this.columnIndexes]);
    // A batch that is copied loses its sources.
    const isCopied = this.termsWork > 0;
    this.input.narrowTo?.(
      read,
      isCopied ? undefined : numbered?.difference(new Set(this.columnIndexes)),
    );
  }

  /** Returns the end of the next portion and its work. */
  private portionOf({ columns, selection, count }: Batch): { end: number; work: number } {
    let end = this.at;
    let work = 0;
    while (end < count && work < portionBytes) {
      const next = this.rowWork(columns, selection[end] as number);
      // The work of the terms is known in advance, so that a row that would exceed the portion is left to the next one.
      if (this.termsWork > 0 && end > this.at && work + next > portionBytes) break;
      work += next;
      end++;
    }
    return { end, work };
  }

  private take({ columns, selection, count, sources }: Batch, end: number): Batch {
    const from = this.at;
    this.at = end;
    if (end === count) this.batch = undefined;
    if (this.termsWork === 0) {
      return { columns, selection: selection.slice(from, end), count: end - from, sources };
    }
    // The rows move to the lowest positions, because the result of each term is as long as the highest position.
    const dense = columns.map((column) => gather(column, selection, from, end));
    return { columns: dense, selection: denseSelection, count: end - from };
  }

  private workOf(batch: Batch): number {
    let work = 0;
    for (let i = 0; i < batch.count; i++) {
      work += this.rowWork(batch.columns, batch.selection[i] as number);
    }
    return work;
  }

  private rowWork(columns: readonly Vector[], row: number): number {
    let work = this.termsWork;
    for (let s = 0; s < this.columnIndexes.length; s++) {
      work += lengthOf((columns[this.columnIndexes[s] as number] as Vector)[row] as Datum);
    }
    return work;
  }
}

/** Returns the indexes of the columns that may contain long values. */
export function textColumnIndexes(plan: RelationPlan): readonly number[] {
  return plan.output.flatMap(({ type: { kind } }, columnIndex) =>
    kind === 'text' || kind === 'bytes' ? [columnIndex] : [],
  );
}

/** Returns `operator`, with smaller batches if the expressions read its texts or have many terms. */
export function withSmallBatches(
  operator: Operator,
  plan: RelationPlan,
  expressions: readonly PlanExpression[],
  run: QueryRun,
): Operator {
  const size = sizeOf(expressions);
  const terms = size > termsOfRow ? size : 0;
  const columnIndexes = expressions.some(looksThroughTexts) ? textColumnIndexes(plan) : [];
  return columnIndexes.length === 0 && terms === 0
    ? operator
    : new BatchSplitter(operator, { columnIndexes, terms }, run);
}

/** Returns whether the evaluation time grows with the length of texts. */
export function looksThroughTexts(expression: PlanExpression): boolean {
  switch (expression.kind) {
    case 'text_match':
    case 'call':
      return true;
    case 'compare':
      return (
        expression.operandType === 'text' ||
        expression.operandType === 'bytes' ||
        looksThroughTexts(expression.left) ||
        looksThroughTexts(expression.right)
      );
    case 'arithmetic':
      return looksThroughTexts(expression.left) || looksThroughTexts(expression.right);
    case 'logical':
    case 'coalesce':
      return expression.operands.some(looksThroughTexts);
    case 'unary':
    case 'cast':
      return looksThroughTexts(expression.operand);
    case 'among':
      return (
        expression.operandType === 'text' ||
        expression.operandType === 'bytes' ||
        looksThroughTexts(expression.operand)
      );
    case 'branch':
      return (
        expression.arms.some((arm) => looksThroughTexts(arm.when) || looksThroughTexts(arm.then)) ||
        looksThroughTexts(expression.otherwise)
      );
    default:
      return false;
  }
}

/** Returns the number of characters or bytes of a value. */
export function lengthOf(value: Datum): number {
  if (typeof value === 'string') return value.length;
  return value instanceof ByteString ? value.bytes.length : 0;
}
