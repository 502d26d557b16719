/** The requests of administrators: read the transitions of one snapshot, and cancel a transition (docs/migrations.md). */

import {
  decodeTransition,
  isEnded,
  parseTransitionId,
  type TransitionControl,
  type TransitionKind,
  type TransitionRecord,
  type TransitionState,
  transitionControl,
  transitionKey,
  transitionRange,
} from '#catalog';
import { fail } from '#failure';
import { eachEntry, type ReadView, readValue, type Store } from '#storage';
import { endAs } from './end.ts';
import type { TransitionHost } from './host.ts';
import { inTransaction } from './step.ts';

export interface TransitionFilter {
  readonly kind?: TransitionKind | undefined;
  readonly state?: TransitionState | undefined;
}

/** Returns the transitions by id, including ended ones whose records still exist. */
export async function listTransitions(
  store: Store,
  { kind, state }: TransitionFilter,
): Promise<readonly TransitionControl[]> {
  const records: TransitionRecord[] = [];
  await onSnapshot(store, (view) =>
    eachEntry(view, transitionRange, ({ value, valueFrom, valueTo }) => {
      records.push(decodeTransition(value.slice(valueFrom, valueTo)));
      return true;
    }),
  );
  return records
    .filter((record) => kind === undefined || record.kind === kind)
    .filter((record) => state === undefined || record.state === state)
    .map(transitionControl);
}

/** Throws `schema_transition_not_found` if the transition does not exist. */
export async function getTransition(store: Store, name: string): Promise<TransitionControl> {
  return transitionControl(await readRecord(store, name));
}

/** Number of attempts of a cancellation; the last one has an exclusive commit. */
const attemptsMax = 5;

/** Cancels a transition; is idempotent. Throws `invalid` if it is ready or has failed, and `schema_transition_not_found` if it does not exist. */
export async function cancelTransition(
  host: TransitionHost,
  name: string,
): Promise<TransitionControl> {
  const once = () => cancelOnce(host, name);
  for (let attempt = 1; attempt < attemptsMax; attempt++) {
    const cancelled = await once();
    if (cancelled !== undefined) return cancelled;
  }
  const cancelled = await host.store.exclusive(once);
  if (cancelled !== undefined) return cancelled;
  throw fail(
    'serializable_conflict',
    `transition ${name}: another change was committed first; send the cancellation again`,
  );
}

async function cancelOnce(
  host: TransitionHost,
  name: string,
): Promise<TransitionControl | undefined> {
  const record = await readRecord(host.store, name);
  if (record.state === 'cancelled') return transitionControl(record);
  if (isEnded(record.state)) {
    throw fail('invalid', `transition ${name} is ${record.state}: it cannot be cancelled`);
  }
  await inTransaction(host, record.id, async (stepping) =>
    endAs(stepping, 'cancelled', stepping.record.lastError),
  );
  const after = await readRecord(host.store, name);
  return after.state === 'cancelled' ? transitionControl(after) : undefined;
}

async function readRecord(store: Store, name: string): Promise<TransitionRecord> {
  const id = parseTransitionId(name);
  const stored =
    id === undefined
      ? undefined
      : await onSnapshot(store, (view) => readValue(view, transitionKey(id)));
  if (stored !== undefined) return decodeTransition(stored);
  throw fail('schema_transition_not_found', `there is no transition ${JSON.stringify(name)}`, {
    resource: { kind: 'schema_transition', name },
  });
}

/** Runs `read` on a snapshot and waits until that is durable, so that nothing is returned that a crash could undo. */
async function onSnapshot<T>(store: Store, read: (view: ReadView) => Promise<T>): Promise<T> {
  const snapshot = store.snapshot();
  try {
    return await read(snapshot);
  } finally {
    snapshot.release();
    await store.durable(snapshot.sequence);
  }
}
