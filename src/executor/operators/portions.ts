/**
 * Hands on its input in portions that can be worked on in one go: a batch of a thousand long texts, of one that stands beside a thousand
 * rows, or below an expression of a thousand terms would hold the event loop.
 */

import type { Pending } from '#base';
import type { PlanExpression, RelationPlan } from '#planner';
import { ByteString, type Datum } from '#value';
import type { Batch } from '../batch/batch.ts';
import { gather } from '../batch/row-store.ts';
import { batchRowsMax, denseSelection, type Vector } from '../batch/vector.ts';
import type { Site } from '../site.ts';
import { sizeOf, termBytes, termsOfRow } from './expression-size.ts';
import type { Operator, QueryRun } from './operator.ts';
import type { RunningBound } from './scan/running-bound.ts';

/** Characters and bytes that are looked through in one go, unless a single row has more. */
export const portionBytes = 1 << 20;
/** Looking at so many takes about as long as handling a row. */
export const bytesOfRow = 1024;
/** Evaluating a term for a row takes about as long as looking at so many. */
export const bytesOfTerm = portionBytes / (termsOfRow * batchRowsMax);

/** What the expressions have to do with a row. */
interface Work {
  /** Column indexes of texts that are looked through. */
  readonly columnIndexes: readonly number[];
  /** Terms of the expressions, when there are so many that they count. */
  readonly terms: number;
}

class Portions implements Operator {
  readonly site: Site;
  private readonly input: Operator;
  private readonly columnIndexes: readonly number[];
  private readonly run: QueryRun;
  /** What the terms of one row take, in bytes that are looked through. */
  private readonly termsWork: number;
  private batch: Batch | undefined;
  /** Where in its selection the next portion begins. */
  private at = 0;

  constructor(input: Operator, { columnIndexes, terms }: Work, run: QueryRun) {
    this.site = input.site;
    this.input = input;
    this.columnIndexes = columnIndexes;
    this.run = run;
    this.termsWork = terms * bytesOfTerm;
    if (terms > 0) run.memory.holding(input.site).resize(terms * termBytes);
  }

  open(): void {
    this.batch = undefined;
    this.input.open();
  }

  next(wanted: number): Batch | undefined | Pending {
    if (this.batch === undefined) {
      const batch = this.input.next(wanted);
      if (batch === undefined || batch instanceof Promise) return batch;
      // Small batches below large expressions are work that counts, too.
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

  bound(columnIndex: number): RunningBound | undefined {
    return this.input.bound?.(columnIndex);
  }

  narrowTo(columnIndexes: ReadonlySet<number>): void {
    this.input.narrowTo?.(new Set([...columnIndexes, ...this.columnIndexes]));
  }

  /** Where the next portion ends, and what it takes. */
  private portionOf({ columns, selection, count }: Batch): { end: number; work: number } {
    let end = this.at;
    let work = 0;
    while (end < count && work < portionBytes) {
      const next = this.rowWork(columns, selection[end] as number);
      // Terms are known before: what does not fit is left to the next portion.
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
    // Rows of low positions: what each term gives is as long as the highest one.
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

/** The column indexes of a row that may be long. */
export function textColumnIndexes(plan: RelationPlan): readonly number[] {
  return plan.output.flatMap(({ type: { kind } }, columnIndex) =>
    kind === 'text' || kind === 'bytes' ? [columnIndex] : [],
  );
}

/** `operator`, in portions when the expressions look through texts of the rows that it gives, or are large. */
export function portioned(
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
    : new Portions(operator, { columnIndexes, terms }, run);
}

/** Whether its time grows with the length of texts. */
export function looksThroughTexts(expression: PlanExpression): boolean {
  switch (expression.kind) {
    case 'text_match':
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

/** Characters or bytes of a value. */
export function lengthOf(value: Datum): number {
  if (typeof value === 'string') return value.length;
  return value instanceof ByteString ? value.bytes.length : 0;
}
