/**
 * Online transitions: work on stored rows that goes on after the commit that started it, while the table stays in use (docs/migrations.md).
 *
 * Nouns: a transition is a goal and a state in the catalog (`#catalog`, `transition/`), and a durable record with its generation, the epoch of its
 * owner, and the cursor; a step is one serializable transaction that commits work and cursor together; the gate keeps writers out while a
 * transition finishes; a violation is what must be gone before that; a reclamation removes what is left without meaning.
 * Invariants: writers keep what is being made up to date from the commit of the start on, so a scan over the rows is all that is missing; a crash at any
 * point loses at most an uncommitted step; a transition that has ended asks nothing of anybody.
 * Start at `step.ts`, then `worker.ts`; what administrators see is in `administration.ts`.
 */

export {
  cancelTransition,
  getTransition,
  listTransitions,
  type TransitionFilter,
} from './administration.ts';
export { failuresMax } from './attempts.ts';
export type { CatalogMove, TransitionHost } from './host.ts';
export type { JobTurn } from './turn.ts';
export { TransitionWorker } from './worker.ts';
