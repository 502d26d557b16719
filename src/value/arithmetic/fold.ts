/** Accumulators of sum and avg (lir.md §6). NULL arguments are skipped by the caller; an empty fold is NULL there. */

import { ArithmeticFailure } from './failure.ts';
import { checked, type Int64 } from './int64.ts';

/** An exact sum; only the total is judged against int64. */
export class Int64Sum {
  /** A safe integer; `carried` holds what did not fit. */
  private small = 0;
  private carried = 0n;

  add(value: Int64): void {
    if (typeof value === 'bigint') {
      this.carried += value;
      return;
    }
    const sum = this.small + value;
    if (Number.isSafeInteger(sum)) {
      this.small = sum;
    } else {
      this.carried += BigInt(this.small);
      this.small = value;
    }
  }

  total(): Int64 {
    return this.carried === 0n ? this.small : checked(this.carried + BigInt(this.small), 'sum');
  }
}

/** The total of a float64 sum or the quotient of an average, when it is finite. */
export function finiteFold(value: number): number {
  if (!Number.isFinite(value)) {
    throw new ArithmeticFailure('numeric_overflow', 'non-finite float aggregate');
  }
  return value;
}

export class Float64Sum {
  private sum = 0;

  add(value: number): void {
    this.sum += value;
  }

  total(): number {
    return finiteFold(this.sum);
  }
}

/** The sum of the arguments converted to binary64, divided by their count. */
export class Average {
  private sum = 0;
  private count = 0;

  add(value: Int64): void {
    this.sum += Number(value);
    this.count++;
  }

  /** Undefined when nothing was added. */
  result(): number | undefined {
    return this.count === 0 ? undefined : finiteFold(this.sum / this.count);
  }
}
