/** Watches a query: runs it repeatedly and yields changed results. */

import { BuildError } from './build-error.ts';
import type { DeepReadonly, Kept } from './cache.ts';
import type { Channel } from './channel.ts';
import type { CallOptions } from './options.ts';

/** Options of a watch; the other options apply to each run of the query. */
export interface WatchOptions extends Omit<CallOptions, 'idempotent'> {
  /** Milliseconds between two runs of the query, with 10 % random variation (default 1,000). */
  readonly everyMs?: number;
  /** Ends the iteration with a TransportError of the phase `aborted`. */
  readonly signal?: AbortSignal;
}

/** Yields what `look` finds at first, and from then on what is another object than before. Leaving the loop ends it at once. */
export function watching<T>(
  { world, underWay }: Channel,
  { everyMs = 1000, signal }: WatchOptions,
  look: (signal: AbortSignal, last: Kept | undefined) => Promise<Kept>,
): AsyncIterableIterator<DeepReadonly<T>> {
  if (!(everyMs > 0)) throw new BuildError(`everyMs is ${everyMs}`);
  const control = new AbortController();
  let isLeft = false;
  const abort = () => control.abort();
  const pause = () =>
    new Promise<void>((resolve) => {
      const end = () => {
        callOff();
        resolve();
      };
      const callOff = world.after(everyMs * (0.9 + world.random() / 5), resolve);
      if (control.signal.aborted) end();
      control.signal.onabort = end;
    });
  async function* looks() {
    underWay.add(abort);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    try {
      for (let last: Kept | undefined; !isLeft; await pause()) {
        const now = await look(control.signal, last);
        if (now.value !== last?.value) yield now.value as DeepReadonly<T>;
        last = now;
      }
    } catch (error) {
      if (!isLeft) throw error;
    } finally {
      underWay.delete(abort);
      signal?.removeEventListener('abort', abort);
    }
  }
  const found = looks();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => found.next(),
    return: () => {
      isLeft = true;
      abort();
      return found.return(undefined);
    },
  };
}
