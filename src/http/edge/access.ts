/** Rejects writes on a process that was started as a read-only reader. */

import { fail } from '#failure';
import type { HttpContext } from '../context.ts';

/**
 * Throws on a reader. Called before the mode of the database and the body are checked (docs/errors.md). `what` names the
 * object that the request would change.
 */
export function requireWriter({ lifecycle }: HttpContext, what: string): void {
  if (lifecycle.access === 'write') return;
  throw fail('read_only', `this server is a read-only reader; send ${what} to the writer`);
}
