/** A store in memory and short ways to read and write it as text. */

import { type Steps, systemWorld } from '#base';
import {
  type EntryCursor,
  openStore,
  type ReadView,
  type Store,
  type StoreOptions,
} from '#storage';
import { CommitYield } from '../../../src/storage/batch/commit-yield.ts';

export const bytes = (text: string): Uint8Array => Buffer.from(text);
export const text = (value: Uint8Array): string => Buffer.from(value).toString();

export function memoryStore(options: Partial<StoreOptions> = {}): Promise<Store> {
  return openStore({ storage: 'memory', world: systemWorld(), ...options });
}

export async function read(view: ReadView, key: string): Promise<string | undefined> {
  for (;;) {
    const value = view.get(bytes(key));
    if (!(value instanceof Promise)) return value && text(value);
    await value;
  }
}

/** Takes up to `count` entries, as `key=value`. */
export async function take(cursor: EntryCursor, count = Infinity): Promise<string[]> {
  const taken: string[] = [];
  while (taken.length < count) {
    const next = cursor.next();
    if (next instanceof Promise) await next;
    else if (!next) break;
    else {
      const key = text(cursor.key.subarray(cursor.keyFrom, cursor.keyTo));
      taken.push(`${key}=${text(cursor.value.subarray(cursor.valueFrom, cursor.valueTo))}`);
    }
  }
  return taken;
}

export function range(from: string, to?: string) {
  return { from: bytes(from), to: to === undefined ? undefined : bytes(to) };
}

/** Commits some writes at once; undefined deletes. */
export async function write(store: Store, entries: Record<string, string | undefined>) {
  const transaction = store.begin();
  for (const [key, value] of Object.entries(entries)) {
    if (value === undefined) transaction.delete(bytes(key));
    else transaction.put(bytes(key), bytes(value));
  }
  const outcome = await transaction.commit();
  transaction.release();
  if (outcome.kind !== 'committed') throw new Error(`write ended as ${outcome.kind}`);
  return outcome.sequence;
}

/** What the steps give when nothing turns the event loop in between. */
export function inOneGo<T>(steps: (stretch: CommitYield) => Steps<T>): T {
  const running = steps(
    new CommitYield({ ...systemWorld().scheduler, yield: () => Promise.resolve() }),
  );
  for (;;) {
    const step = running.next();
    if (step.done) return step.value;
  }
}
