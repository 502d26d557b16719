/** Where the bytes of a table go while it is built, in order. */

import type { Pending } from '#base';
import type { Body } from '../object/store.ts';

export interface TableSink {
  /** Takes ownership of `bytes`. A promise asks the builder's driver to wait before it adds more. */
  write(bytes: Uint8Array): Pending | undefined;
}

/** Gathers a table in memory, for `ObjectStore.put`. */
export class MemorySink implements TableSink {
  readonly parts: Uint8Array[] = [];

  write(bytes: Uint8Array): undefined {
    this.parts.push(bytes);
  }

  get body(): Body {
    return this.parts;
  }
}
