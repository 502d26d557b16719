/** A flag or variable with a value that cannot be used; it ends the start with exit code 2. */

export class RefusedOption extends Error {
  override readonly name = 'RefusedOption';

  /** `source` is the flag or the variable, `value` undefined when it is needed and absent, `allowed` says what it may be. */
  constructor(source: string, value: string | undefined, allowed: string) {
    const found = value === undefined ? 'not set' : `"${value}"`;
    super(`${source} is ${found}: expected ${allowed}`);
  }
}
