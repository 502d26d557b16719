/** The destination of the bytes of an SSTable while it is built, in order. */

import type { Pending } from '#base';
import type { Body } from '../object/store.ts';

export interface TableSink {
  /**
   * Takes ownership of `bytes`. If it returns a promise, the caller of the builder waits before it
   * adds more.
   */
  write(bytes: Uint8Array): Pending | undefined;
}

/** Collects an SSTable in memory, for `ObjectStore.put`. */
export class MemorySink implements TableSink {
  readonly parts: Uint8Array[] = [];

  write(bytes: Uint8Array): undefined {
    this.parts.push(bytes);
  }

  get body(): Body {
    return this.parts;
  }
}
