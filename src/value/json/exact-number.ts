/** A JSON number of integral value that was written with a fraction or an exponent. */

/**
 * `JSON.parse` makes 5 of `5.0` and of `5e0`; as an int64 default only `5` is allowed (pir.md §1.3). So members named `value`,
 * where defaults stand, keep such a number in this form. Everywhere else it is the plain number 5.
 */
export class ExactNumber {
  readonly source: string;
  readonly value: number;

  constructor(source: string) {
    this.source = source;
    this.value = Number(source);
  }
}
