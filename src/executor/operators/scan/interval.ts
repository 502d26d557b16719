/** The keys that a scan touches, from the parameters and registers of the moment. */

import { type Bound, encodeInterval, type IndexLayout, type TableLayout } from '#layout';
import type { KeyBound, KeyInterval } from '#planner';
import type { KeyRange } from '#storage';
import type { Scalar } from '#value';
import { compile, type Frame } from '../../kernels/compile.ts';
import { evaluateConstant, type Kernel } from '../../kernels/kernel.ts';

interface Member {
  readonly value: Kernel;
  readonly isNull: boolean;
}

interface End {
  readonly value: Kernel;
  readonly inclusive: boolean;
}

export class Interval {
  private readonly prefix: readonly Member[];
  private readonly lower: End | undefined;
  private readonly upper: End | undefined;

  constructor(interval: KeyInterval, frame: Frame) {
    this.prefix = interval.prefix.map(({ value, isNull }) => ({
      value: compile(value, frame),
      isNull,
    }));
    this.lower = compileEnd(interval.lower, frame);
    this.upper = compileEnd(interval.upper, frame);
  }

  /** The values of the equal prefix; undefined when a NULL among them means that no row can match. */
  prefixValues(): Scalar[] | undefined {
    const values: Scalar[] = [];
    for (let i = 0; i < this.prefix.length; i++) {
      const { value, isNull } = this.prefix[i] as Member;
      const member = isNull ? null : (evaluateConstant(value) as Scalar);
      if (member === null && !isNull) return undefined;
      values.push(member);
    }
    return values;
  }

  /** Undefined when the interval is empty. */
  range(layout: TableLayout | IndexLayout): KeyRange | undefined {
    const prefix = this.prefixValues();
    if (prefix === undefined) return undefined;
    return encodeInterval(layout, prefix, boundOf(this.lower), boundOf(this.upper));
  }
}

/** Whether the interval pins each of `length` key columns to a value that is not NULL. */
export function isPoint(interval: KeyInterval, length: number): boolean {
  return interval.prefix.length === length && !interval.prefix.some((member) => member.isNull);
}

function compileEnd(bound: KeyBound | undefined, frame: Frame): End | undefined {
  if (bound === undefined) return undefined;
  return { value: compile(bound.value, frame), inclusive: bound.inclusive };
}

function boundOf(end: End | undefined): Bound | undefined {
  if (end === undefined) return undefined;
  return { value: evaluateConstant(end.value) as Scalar, inclusive: end.inclusive };
}
