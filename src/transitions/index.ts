/**
 * Online transitions: work on stored rows that continues after the commit that started it, while the table stays in use (docs/migrations.md).
 *
 * Terms: a transition is a goal and a state in the catalog (`#catalog`, `transition/`), with a durable record of its generation, the epoch of its
 * owner, and its cursor. A step is one serializable transaction that commits work and cursor together. The write gate keeps writers out while a
 * transition finishes. A violation is a row that prevents publication. A reclamation removes stored data that has no meaning any more.
 *
 * Invariants: from the commit of the start on, writers keep the new object up to date, so that only a scan over the existing rows is missing. A
 * crash at any point loses at most an uncommitted step. A transition that has ended requires no further work.
 *
 * Start with `step.ts`, then `worker.ts`; the requests of administrators are in `administration.ts`.
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
