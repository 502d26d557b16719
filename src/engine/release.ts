/** Releases the state that a program has read. */

import type { RequestContext } from './admission/request-context.ts';

/**
 * Releases the view. If the program was ended during a wait inside the store, that wait still reads from the view, so it
 * is released after the wait.
 */
export function release(view: { release(): void }, { budget }: RequestContext): void {
  if (budget.lingering === undefined) view.release();
  else void budget.lingering.then(() => view.release());
}
