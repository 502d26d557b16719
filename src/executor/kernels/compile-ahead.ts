/**
 * Compiles a large expression operand by operand, with yields in between: compiling thousands of terms would block the event loop. A later
 * `compile` of the whole expression takes the finished kernels.
 */

import type { Steps, YieldPolicy } from '#base';
import { operandsOf, type PlanExpression } from '#planner';
import { compile, type Frame } from './compile.ts';

/** Compiling a term takes about as long as processing this many rows. */
const termWork = 2;

export function* compileAhead(
  expression: PlanExpression,
  frame: Frame,
  pace: Pick<YieldPolicy, 'pause'>,
): Steps<void> {
  const operands = operandsOf(expression);
  if (operands.length === 0) return;
  for (const operand of operands) yield* compileAhead(operand, frame, pace);
  frame.ahead?.set(expression, compile(expression, frame));
  const wait = pace.pause(termWork);
  if (wait !== undefined) yield wait;
}
