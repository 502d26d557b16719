/** Storage faults below a transaction, as data that one error class carries. */

/** The process that holds a storage directory. */
export interface Holder {
  readonly pid: number;
  readonly hostname: string;
  readonly startedUnixMs: number;
  /** The address on which the holder listens; empty until it does. */
  readonly address: string;
}

/**
 * The kinds of storage faults:
 *
 * - `occupied`: the directory is not empty and contains no store; `found` lists some of its files.
 * - `linked`: a start would empty the directory `object`, which is a symbolic link or a file instead.
 * - `locked`: another process has the directory open.
 * - `fenced`: a newer writer has claimed epoch `by`.
 * - `corrupt`: bytes that were synced once read back differently; `lost` describes the loss if the
 *   store opened without them.
 * - `format`: a newer version of the program has written the object.
 * - `missing`: an object that must exist does not.
 * - `vanished`: an object is missing, and another object in the storage location proves that it
 *   existed; `evidence` is the proof, and `lost` describes the loss if the store opened without it.
 *   With `orManifestAfter`, a manifest after that one may be missing instead, which did not need
 *   the object; the remaining objects do not show which is the case.
 * - `foreign`: the object belongs to a database that was in the storage location before this one
 *   was created in epoch `begun`.
 * - `full`: the disk is full.
 * - `io`: the operating system refused `operation`.
 *
 * Only for readers:
 *
 * - `empty`: no writer has created a store there yet.
 * - `expired`: the writer has dropped the state that the reader used, and `object` with it.
 * - `replaced`: another store is in the location of this one.
 *
 * Only for buckets:
 *
 * - `unavailable`: no usable response after all attempts; the fault may be temporary.
 * - `unauthorized`: the credentials do not permit the operation.
 * - `bucket_missing`: the bucket does not exist.
 * - `unfit`: the server lacks a behavior that the store needs.
 */
export type StorageFault =
  | { readonly kind: 'occupied'; readonly path: string; readonly found: readonly string[] }
  | { readonly kind: 'linked'; readonly object: string }
  | { readonly kind: 'locked'; readonly path: string; readonly holder: Holder | undefined }
  | { readonly kind: 'fenced'; readonly epoch: number; readonly by: number }
  | {
      readonly kind: 'corrupt';
      readonly object: string;
      readonly offset: number;
      readonly detail: string;
      readonly lost: string;
    }
  | { readonly kind: 'format'; readonly object: string; readonly version: number }
  | { readonly kind: 'missing'; readonly object: string }
  | {
      readonly kind: 'vanished';
      readonly object: string;
      readonly evidence: string;
      readonly lost: string;
      readonly orManifestAfter?: string;
    }
  | { readonly kind: 'foreign'; readonly object: string; readonly begun: number }
  | { readonly kind: 'full'; readonly operation: string; readonly object: string }
  | { readonly kind: 'io'; readonly operation: string; readonly object: string }
  | {
      readonly kind: 'unavailable';
      readonly operation: string;
      readonly object: string;
      /** Origin of the server, if it is known. */
      readonly at?: string;
    }
  | { readonly kind: 'unauthorized'; readonly operation: string; readonly object: string }
  | { readonly kind: 'bucket_missing'; readonly bucket: string }
  | { readonly kind: 'unfit'; readonly detail: string }
  | { readonly kind: 'empty'; readonly place: string }
  | { readonly kind: 'expired'; readonly object: string }
  | { readonly kind: 'replaced'; readonly held: string; readonly found: string };

/**
 * An error with a StorageFault. `cause` is the error of the operating system, if there was one.
 */
export class StorageError extends Error {
  readonly fault: StorageFault;

  constructor(fault: StorageFault, cause?: unknown) {
    super(describe(fault), cause === undefined ? {} : { cause });
    this.name = 'StorageError';
    this.fault = fault;
  }
}

function describe(fault: StorageFault): string {
  switch (fault.kind) {
    case 'occupied':
      return `${fault.path} contains no store and is not empty: it contains ${fault.found.join(', ')}`;
    case 'linked':
      return `${fault.object} in the storage directory is a symbolic link or a file: a start deletes everything in it, so it must be a directory`;
    case 'locked':
      return `the storage directory ${fault.path} is in use by ${describeHolder(fault.holder)}`;
    case 'fenced':
      return `writer epoch ${fault.epoch} has been taken over by epoch ${fault.by}`;
    case 'corrupt':
      return `${fault.object} is corrupt at byte ${fault.offset}: ${fault.detail}; ${fault.lost}`;
    case 'format':
      return `${fault.object} has format version ${fault.version}, which this version of svc does not support`;
    case 'missing':
      return `${fault.object} does not exist`;
    case 'vanished':
      return `${whatVanished(fault)}: ${fault.evidence}; ${fault.lost}`;
    case 'foreign':
      return `${fault.object} belongs to a database that was here before epoch ${fault.begun} created an empty one: it would be deleted as an orphaned object`;
    case 'full':
      return `no space left on the device: ${fault.operation} ${fault.object}`;
    case 'io':
      return `${fault.operation} ${fault.object} failed`;
    case 'unavailable':
      return `${fault.operation} ${fault.object}: the object store${fault.at === undefined ? '' : ` at ${fault.at}`} does not respond`;
    case 'unauthorized':
      return `${fault.operation} ${fault.object}: the object store refuses the credentials`;
    case 'bucket_missing':
      return `the bucket "${fault.bucket}" does not exist`;
    case 'unfit':
      return `the object store cannot be used: ${fault.detail}`;
    case 'empty':
      return `there is no store in ${fault.place} yet; start a writer to create it`;
    case 'expired':
      return `the writer has dropped the state that was read, and ${fault.object} with it; send the request again`;
    case 'replaced':
      return `another store has replaced this one: it was at ${fault.held}, and now is at ${fault.found}`;
  }
}

function whatVanished({ object, orManifestAfter }: StorageFault & { kind: 'vanished' }): string {
  const alone = `${object} is missing`;
  return orManifestAfter === undefined ? alone : `${alone}, or a manifest after ${orManifestAfter}`;
}

function describeHolder(holder: Holder | undefined): string {
  if (holder === undefined) return 'another process';
  const since = new Date(holder.startedUnixMs).toISOString();
  const address = holder.address === '' ? '' : `, serving ${holder.address}`;
  return `process ${holder.pid} on ${holder.hostname} since ${since}${address}`;
}

/**
 * Faults of the storage location, not of an object: nothing is damaged, and the fault ends when the
 * location responds or grants access.
 */
const outages: readonly StorageFault['kind'][] = ['unavailable', 'unauthorized', 'bucket_missing'];

export function isOutage(error: unknown): boolean {
  return error instanceof StorageError && outages.includes(error.fault.kind);
}

/**
 * Converts an error of the operating system during `operation` on `object` into a StorageError. A
 * StorageError is returned unchanged.
 */
export function storageError(operation: string, object: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause;
  const code = (cause as { code?: unknown } | undefined)?.code;
  const kind = code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'io';
  return new StorageError({ kind, operation, object }, cause);
}

/**
 * Returns true if a part of the store is permanently damaged or missing, so that work that does not
 * need it can continue. A failure that names an SSTable has the storage fault as its cause.
 */
export function isDamage(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  const found = error instanceof StorageError ? error : cause;
  if (!(found instanceof StorageError)) return false;
  const { kind } = found.fault;
  return kind === 'corrupt' || kind === 'missing';
}

/** Returns the error code of the operating system in parentheses, after a space; '' if there is none. */
export function codeOf({ cause }: Error): string {
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? ` (${code})` : '';
}
