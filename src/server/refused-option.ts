/** Errors that end the start with exit code 2. */

/** A combination of options with which the server does not start. */
export class RefusedConfiguration extends Error {
  override readonly name: string = 'RefusedConfiguration';
}

/** A flag or variable with an unusable value. */
export class RefusedOption extends RefusedConfiguration {
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
