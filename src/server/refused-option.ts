/** A flag or variable with a value that cannot be used; it ends the start with exit code 2. */

export class RefusedOption extends Error {
  override readonly name = 'RefusedOption';

  /** `source` is the flag or the variable, `allowed` says what it may be. */
  constructor(source: string, value: string, allowed: string) {
    super(`${source} is "${value}": expected ${allowed}`);
  }
}
