/** Generation as a list of choices: the same numbers make the same program, and smaller numbers make a simpler one, which is how it shrinks. */

export class Choices {
  private readonly numbers: readonly number[];
  private at = 0;

  constructor(numbers: readonly number[]) {
    this.numbers = numbers;
  }

  /** A number in [0, count); 0 when the numbers are used up. */
  below(count: number): number {
    return (this.numbers[this.at++] ?? 0) % count;
  }

  /** True about once in `n`; false is the simple case. */
  oneIn(n: number): boolean {
    return this.below(n) === n - 1;
  }

  /** The first is the simplest. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Between `least` and `most` results of `make`. */
  many<T>(least: number, most: number, make: (i: number) => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, i) => make(i));
  }

  get isSpent(): boolean {
    return this.at >= this.numbers.length;
  }
}
