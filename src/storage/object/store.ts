/**
 * The interface to named, immutable byte objects: a directory, memory or a bucket. Names are
 * `/`-separated.
 */

import type { Pending } from '#base';

/** The bytes of one object, as one array or as several parts in order. */
export type Body = Uint8Array | readonly Uint8Array[];

/** `unknown`: the creation may or may not have taken effect, or may do so later. */
export type ConditionalOutcome = 'committed' | 'conflict' | 'unknown';

export interface ObjectHead {
  readonly name: string;
  readonly bytes: number;
}

export interface ObjectStore {
  /** Returns the whole object; `undefined` if it does not exist. The caller owns the bytes. */
  get(name: string): Promise<Uint8Array | undefined>;
  /**
   * Returns bytes [offset, offset + length), clipped at the end of the object; `undefined` if it
   * does not exist.
   */
  getRange(name: string, offset: number, length: number): Promise<Uint8Array | undefined>;
  /**
   * Returns the size; `undefined` if the object does not exist. A local store returns it
   * synchronously: await only a promise.
   */
  head(name: string): ObjectHead | undefined | Promise<ObjectHead | undefined>;
  /**
   * Creates or replaces an object, which is durable once the promise resolves. A reader sees the
   * old or the new object, never a mixture.
   */
  put(name: string, body: Body): Promise<void>;
  /**
   * Creates or replaces an object that is written in parts. Stores that send an object as a whole
   * do not have this method.
   */
  readonly create?: (name: string) => ObjectWriter;
  /**
   * Creates an object unless its name exists already. The object is durable once the result is
   * `committed` or `conflict`.
   */
  putIfAbsent(name: string, body: Body): Promise<ConditionalOutcome>;
  /**
   * Lists the objects whose names start with `prefix` and are above `after`, in ascending order of
   * names.
   */
  list(prefix: string, after?: string): Promise<readonly ObjectHead[]>;
  /** Deletes objects. Names that do not exist are accepted. */
  delete(names: readonly string[]): Promise<void>;
  /**
   * Opens an object for random reads; throws `missing`. If the object is deleted meanwhile, it
   * stays readable unless it is remote. A remote store that receives the length sends no request,
   * and detects a missing object only at the first read.
   */
  openRead(name: string, bytes?: number): ObjectReader | Promise<ObjectReader>;
}

/** An object that is being written, without a name before `finish` has resolved. */
export interface ObjectWriter {
  /**
   * Takes ownership of `part`. If it returns a promise, the caller waits before the next part. The
   * promise rejects if the store fails, and so does `finish` then.
   */
  write(part: Uint8Array): Pending | undefined;
  finish(): Promise<void>;
  /** Discards the written parts. */
  discard(): void;
}

/** Information on reads of an object that is not on this machine. */
export interface RemoteParts {
  /** Returns true if the byte at `offset` is cached on the local disk. Sends no request. */
  isLocal(offset: number): boolean;
  /**
   * Bytes that one request fetches, if the object is stored in parts; otherwise `undefined`: each
   * request fetches the bytes of its read.
   */
  readonly partBytes: number | undefined;
}

export interface ObjectReader {
  readonly name: string;
  readonly bytes: number;
  /** Facts about reads of a remote object; `undefined` if the object is on this machine, or if its location is not known yet. */
  readonly remote?: RemoteParts | undefined;
  /**
   * Fills `target` from `offset` on and returns the number of bytes, which is less than the length
   * only at the end of the object. Local stores return a number synchronously.
   */
  readInto(offset: number, target: Uint8Array): number | Promise<number>;
  /**
   * Returns true if the name of a local object still leads to the object that is read here;
   * `undefined` if this cannot be determined.
   */
  isThere?(): boolean | undefined;
  close(): void;
}
