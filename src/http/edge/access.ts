/** Which process may write: the one that was started for it. */

import { fail } from '#failure';
import type { HttpContext } from '../context.ts';

/** Looked at before the mode of the database and before the body (docs/errors.md); `what` names what the request would change. */
export function requireWriter({ lifecycle }: HttpContext, what: string): void {
  if (lifecycle.access === 'write') return;
  throw fail('read_only', `this process serves reads only: send ${what} to the writer`);
}
