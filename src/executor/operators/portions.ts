/**
 * Hands on its input in portions whose texts can be looked through in one go: a batch of a thousand long texts, or of one that stands beside a
 * thousand rows, would hold the event loop.
 */

import type { Pending } from '#base';
import type { PlanExpression, RelationPlan } from '#planner';
import { ByteString, type Datum } from '#value';
import type { Batch } from '../batch/batch.ts';
import type { Vector } from '../batch/vector.ts';
import type { Site } from '../site.ts';
import type { Operator, QueryRun } from './operator.ts';

/** Characters and bytes that are looked through in one go, unless a single row has more. */
export const portionBytes = 1 << 20;
/** Looking at so many takes about as long as handling a row. */
const bytesOfRow = 1024;

class Portions implements Operator {
  readonly site: Site;
  private readonly input: Operator;
  private readonly slots: readonly number[];
  private readonly run: QueryRun;
  private batch: Batch | undefined;
  /** Where in its selection the next portion begins. */
  private at = 0;

  constructor(input: Operator, slots: readonly number[], run: QueryRun) {
    this.site = input.site;
    this.input = input;
    this.slots = slots;
    this.run = run;
  }

  open(): void {
    this.batch = undefined;
    this.input.open();
  }

  next(wanted: number): Batch | undefined | Pending {
    if (this.batch === undefined) {
      const batch = this.input.next(wanted);
      if (batch === undefined || batch instanceof Promise) return batch;
      if (this.lengthOf(batch) <= portionBytes) return batch;
      this.batch = batch;
      this.at = 0;
    }
    const pause = this.run.budget.pause(portionBytes / bytesOfRow);
    return pause ?? this.portion(this.batch);
  }

  close(): void {
    this.batch = undefined;
    this.input.close();
  }

  private portion(batch: Batch): Batch {
    const from = this.at;
    let bytes = 0;
    while (this.at < batch.count && bytes < portionBytes) {
      bytes += this.rowLength(batch.columns, batch.selection[this.at++] as number);
    }
    const selection = batch.selection.slice(from, this.at);
    if (this.at === batch.count) this.batch = undefined;
    return { columns: batch.columns, selection, count: selection.length };
  }

  private lengthOf(batch: Batch): number {
    let bytes = 0;
    for (let i = 0; i < batch.count; i++) {
      bytes += this.rowLength(batch.columns, batch.selection[i] as number);
    }
    return bytes;
  }

  private rowLength(columns: readonly Vector[], row: number): number {
    let bytes = 0;
    for (let s = 0; s < this.slots.length; s++) {
      bytes += lengthOf((columns[this.slots[s] as number] as Vector)[row] as Datum);
    }
    return bytes;
  }
}

/** The slots of a row that may be long. */
export function textSlots(plan: RelationPlan): readonly number[] {
  return plan.output.flatMap(({ type: { kind } }, slot) =>
    kind === 'text' || kind === 'bytes' ? [slot] : [],
  );
}

/** `operator`, in portions when the expressions look through texts of the rows that it gives. */
export function portioned(
  operator: Operator,
  plan: RelationPlan,
  expressions: readonly PlanExpression[],
  run: QueryRun,
): Operator {
  if (!expressions.some(looksThroughTexts)) return operator;
  const slots = textSlots(plan);
  return slots.length === 0 ? operator : new Portions(operator, slots, run);
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
      return expression.operands.some(looksThroughTexts);
    case 'unary':
    case 'cast':
      return looksThroughTexts(expression.operand);
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
