/** Computes the key ranges of a scan from the present parameters and registers. */

import { compareBytes, invariant, type YieldPolicy } from '#base';
import { encodeInterval, type IndexLayout, type IntervalBound, type TableLayout } from '#layout';
import type { KeyBound, KeyInterval } from '#planner';
import type { EntryCursor, KeyRange, ReadView, ZoneBound } from '#storage';
import type { Scalar } from '#value';
import { compile, type Frame } from '../../kernels/compile.ts';
import { evaluateConstant, type Kernel } from '../../kernels/kernel.ts';
import { RangesCursor } from './ranges-cursor.ts';

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
  private readonly among: readonly Kernel[] | undefined;
  private readonly lower: End | undefined;
  private readonly upper: End | undefined;

  constructor(interval: KeyInterval, frame: Frame) {
    this.prefix = interval.prefix.map(({ value, isNull }) => ({
      value: compile(value, frame),
      isNull,
    }));
    this.among = interval.among?.map((value) => compile(value, frame));
    this.lower = compileEnd(interval.lower, frame);
    this.upper = compileEnd(interval.upper, frame);
  }

  /** Returns the values of the equal prefix. Returns undefined if a value is NULL and the condition is not `is_null`, so that no row can match. */
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

  /** Returns the key range of an interval without a list of values; undefined if it is empty. */
  range(layout: TableLayout | IndexLayout): KeyRange | undefined {
    invariant(this.among === undefined, 'an interval with a list has several ranges');
    const prefix = this.prefixValues();
    if (prefix === undefined) return undefined;
    return encodeInterval(layout, prefix, boundOf(this.lower), boundOf(this.upper));
  }

  /** Opens a cursor over the interval; returns undefined if the interval is empty. */
  scan(
    layout: TableLayout | IndexLayout,
    view: ReadView,
    isReverse: boolean,
    pace: Pick<YieldPolicy, 'pause'>,
    bounds?: readonly ZoneBound[],
  ): EntryCursor | undefined {
    const ranges = this.ranges(layout);
    const [only] = ranges;
    if (only === undefined) return undefined;
    const direction = isReverse ? 'backward' : 'forward';
    if (ranges.length === 1) return view.scan(only, direction, bounds);
    return new RangesCursor(view, isReverse ? ranges.reverse() : ranges, direction, pace);
  }

  /** Returns the ranges in key order, without duplicates or empty ranges. */
  private ranges(layout: TableLayout | IndexLayout): KeyRange[] {
    const prefix = this.prefixValues();
    if (prefix === undefined) return [];
    if (this.among === undefined) {
      const range = encodeInterval(layout, prefix, boundOf(this.lower), boundOf(this.upper));
      return range === undefined ? [] : [range];
    }
    const ranges = this.among.flatMap((kernel) => {
      const value = evaluateConstant(kernel) as Scalar;
      if (value === null) return [];
      return encodeInterval(layout, [...prefix, value], undefined, undefined) ?? [];
    });
    ranges.sort((left, right) => compareBytes(left.from, right.from));
    return ranges.filter(
      ({ from }, i) => i === 0 || compareBytes(from, (ranges[i - 1] as KeyRange).from) !== 0,
    );
  }
}

function compileEnd(bound: KeyBound | undefined, frame: Frame): End | undefined {
  if (bound === undefined) return undefined;
  return { value: compile(bound.value, frame), inclusive: bound.inclusive };
}

function boundOf(end: End | undefined): IntervalBound | undefined {
  if (end === undefined) return undefined;
  return { value: evaluateConstant(end.value) as Scalar, inclusive: end.inclusive };
}
