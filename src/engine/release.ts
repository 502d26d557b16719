/** Lets go of the state that a program has read. */

import type { Ticket } from './admission/ticket.ts';

/** A wait inside the store that ended work has left alone still reads from its state. */
export function release(view: { release(): void }, { budget }: Ticket): void {
  if (budget.lingering === undefined) view.release();
  else void budget.lingering.then(() => view.release());
}
