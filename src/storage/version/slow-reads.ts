/**
 * Point reads of a view that wait for a remote store. Each result is retained until it is requested again, whatever the size of the cache.
 * Otherwise the blocks of several reads could evict each other indefinitely.
 */

import type { Pending } from '#base';
import type { Lookup } from '../cursor/lookup.ts';

interface SlowRead {
  readonly wait: Pending;
  answer: { readonly found: Lookup | undefined } | undefined;
}

export class SlowReads {
  /** Pending reads by key. */
  private readonly reads = new Map<string, SlowRead>();

  get count(): number {
    return this.reads.size;
  }

  add(key: Uint8Array, found: Promise<Lookup | undefined>): Pending {
    const name = nameOf(key);
    const wait = found.then(
      (lookup) => {
        read.answer = { found: lookup };
      },
      (error) => {
        // A caller that repeats the request starts another read.
        this.reads.delete(name);
        throw error;
      },
    );
    const read: SlowRead = { wait, answer: undefined };
    this.reads.set(name, read);
    // The caller that waits for the read receives the failure.
    wait.catch(() => {});
    return wait;
  }

  /** Returns the result of the read of this key, or a wait; `undefined` if there is no such read. A result is returned once. */
  take(key: Uint8Array): SlowRead['answer'] | Pending {
    const name = nameOf(key);
    const read = this.reads.get(name);
    if (read === undefined) return undefined;
    if (read.answer !== undefined) this.reads.delete(name);
    return read.answer ?? read.wait;
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
}
