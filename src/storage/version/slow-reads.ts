/**
 * Point reads of a view that wait for a store that is not local. What each has found is kept until it is asked for again, however small the
 * cache is: otherwise what several reads need could push each other out of it for ever.
 */

import type { Pending } from '#base';
import type { Lookup } from '../cursor/lookup.ts';

interface SlowRead {
  readonly wait: Pending;
  answer: { readonly found: Lookup | undefined } | undefined;
}

export class SlowReads {
  /** By key. */
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
        // A caller that asks again gets another read.
        this.reads.delete(name);
        throw error;
      },
    );
    const read: SlowRead = { wait, answer: undefined };
    this.reads.set(name, read);
    // The caller that waits for the read sees the failure.
    wait.catch(() => {});
    return wait;
  }

  /** Undefined when nobody reads this key. An answer is handed out once. */
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
