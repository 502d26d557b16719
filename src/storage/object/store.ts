/** The seam towards named, immutable byte objects: a directory, memory, or a bucket. Names are `/`-separated. */

import type { Pending } from '#base';

/** One object's bytes, whole or in parts that follow each other. */
export type Body = Uint8Array | readonly Uint8Array[];

/** `unknown`: it may or may not have taken effect, now or later. */
export type ConditionalOutcome = 'committed' | 'conflict' | 'unknown';

export interface ObjectHead {
  readonly name: string;
  readonly bytes: number;
}

export interface ObjectStore {
  /** The whole object, undefined when absent. The caller owns the bytes. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Bytes [offset, offset + length) clipped at the end of the object; undefined when absent. */
  getRange(name: string, offset: number, length: number): Promise<Uint8Array | undefined>;
  /** Answered at once by a store that can; await only a promise. */
  head(name: string): ObjectHead | undefined | Promise<ObjectHead | undefined>;
  /** Creates or replaces. Durable once it resolves; a reader sees the old or the new object, never a mixture. */
  put(name: string, body: Body): Promise<void>;
  /** The same for an object that is made bit by bit. Absent in stores to which objects are sent whole. */
  readonly create?: (name: string) => ObjectWriter;
  /** Creates, unless an object has this name already. Durable once it answers `committed` or `conflict`. */
  putIfAbsent(name: string, body: Body): Promise<ConditionalOutcome>;
  /** Objects whose names start with `prefix` and are above `after`, ascending by name. */
  list(prefix: string, after?: string): Promise<readonly ObjectHead[]>;
  /** Absent names are no mistake. */
  delete(names: readonly string[]): Promise<void>;
  /**
   * Opens an object for random reads; throws `missing`. Still readable when the object is deleted meanwhile, unless remote. A remote store
   * that is told the length asks nothing, and finds out at the first read whether the object is there.
   */
  openRead(name: string, bytes?: number): ObjectReader | Promise<ObjectReader>;
}

/** An object in the making. The object has no name before `finish` has resolved. */
export interface ObjectWriter {
  /** Takes ownership of `part`. A promise asks to wait before more follows; it rejects when the store fails, as `finish` does then. */
  write(part: Uint8Array): Pending | undefined;
  finish(): Promise<void>;
  /** Gives up what was written. */
  discard(): void;
}

/** Reads of an object that is not on this machine. */
export interface RemoteParts {
  /** Whether the byte at `offset` is on the local disk all the same. Asks nobody. */
  isLocal(offset: number): boolean;
  /** Bytes that one request fetches, of an object that is kept in parts; undefined: as many as are asked for. */
  readonly partBytes: number | undefined;
}

export interface ObjectReader {
  readonly name: string;
  readonly bytes: number;
  /** Absent: the object is on this machine, or nothing is known yet. */
  readonly remote?: RemoteParts | undefined;
  /**
   * Fills `target` from `offset` on and returns how many bytes there were: less than asked for only at the end of the object.
   * Local stores answer with a number, at once.
   */
  readInto(offset: number, target: Uint8Array): number | Promise<number>;
  /** Of a local object: whether its name still leads to what is read here. Undefined when that cannot be told. */
  isThere?(): boolean | undefined;
  close(): void;
}
