import { SqlError } from '../../../src/sql/index.ts';

/** Returns the SQLSTATE with which `work` fails, or `undefined` if it succeeds. */
export function stateOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof SqlError ? error.trouble.sqlstate : String(error);
  }
}
