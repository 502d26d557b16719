/** A JSON number of integral value that is written with a fraction or an exponent. */

/**
 * `JSON.parse` reads `5.0` and `5e0` as 5, but an int64 default may only be written `5` (docs/pir.md §6). Members named `value`, which contain
 * defaults, therefore keep such a number in this form. Everywhere else it is the plain number 5.
 */
export class ExactNumber {
  readonly source: string;
  readonly value: number;

  constructor(source: string) {
    this.source = source;
    this.value = Number(source);
  }
}
