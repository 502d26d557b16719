/** A flag or variable with an unusable value. This error ends the start with exit code 2. */

export class RefusedOption extends Error {
  override readonly name = 'RefusedOption';

  /**
   * `source` is the flag or variable. `value` is `undefined` if it is required but not set. `allowed` describes the
   * allowed values.
   */
  constructor(source: string, value: string | undefined, allowed: string) {
    const found = value === undefined ? 'not set' : `"${value}"`;
    super(`${source} is ${found}: expected ${allowed}`);
  }
}
