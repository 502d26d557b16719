/** What can go wrong below a transaction, as data; one error class carries it. */

/** The process that holds a storage directory. */
export interface Holder {
  readonly pid: number;
  readonly hostname: string;
  readonly startedUnixMs: number;
  /** Where the holder listens; empty until it does. */
  readonly address: string;
}

/**
 * `occupied`: the directory holds other things than a store, `found` some of them. `locked`: another process has the directory. `fenced`: a newer writer has claimed epoch `by`. `corrupt`: bytes that were once
 * synced do not read back; `lost` says what opening without them would lose. `format`: written by a newer version of the program.
 * `missing`: an object that must exist does not. `vanished`: an object that something else in the place proves to have been there is gone;
 * `evidence` says what proves it, `lost` what opening without it would lose; with `orManifestAfter` it may as well be that a manifest after this
 * one is gone, which did without the object, and nothing that is left tells which. `foreign`: an object of a database that was in the place before this one was
 * begun in epoch `begun`. `full`: the disk has no room. `io`: the system refused, `operation` says what.
 * Of readers only: `empty`: no writer has made a store there yet. `expired`: the state that a reader held was given up, and `object` with
 * it. `replaced`: another store is where this one was.
 * Of buckets only: `unavailable`: no useful answer after all attempts, it may come back. `unauthorized`: the credentials do not permit
 * it. `bucket_missing`. `unfit`: the server does not do what the store relies on.
 */
export type StorageTrouble =
  | { readonly kind: 'occupied'; readonly path: string; readonly found: readonly string[] }
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
      /** Origin of the server, where it is known. */
      readonly at?: string;
    }
  | { readonly kind: 'unauthorized'; readonly operation: string; readonly object: string }
  | { readonly kind: 'bucket_missing'; readonly bucket: string }
  | { readonly kind: 'unfit'; readonly detail: string }
  | { readonly kind: 'empty'; readonly place: string }
  | { readonly kind: 'expired'; readonly object: string }
  | { readonly kind: 'replaced'; readonly held: string; readonly found: string };

/** Carries a StorageTrouble; `cause` is the error of the system, if there was one. */
export class StorageError extends Error {
  readonly trouble: StorageTrouble;

  constructor(trouble: StorageTrouble, cause?: unknown) {
    super(describe(trouble), cause === undefined ? {} : { cause });
    this.name = 'StorageError';
    this.trouble = trouble;
  }
}

function describe(trouble: StorageTrouble): string {
  switch (trouble.kind) {
    case 'occupied':
      return `${trouble.path} holds no store, and is not empty: there is ${trouble.found.join(', ')}`;
    case 'locked':
      return `the storage directory ${trouble.path} is in use by ${describeHolder(trouble.holder)}`;
    case 'fenced':
      return `writer epoch ${trouble.epoch} has been taken over by epoch ${trouble.by}`;
    case 'corrupt':
      return `${trouble.object} is corrupt at byte ${trouble.offset}: ${trouble.detail}; ${trouble.lost}`;
    case 'format':
      return `${trouble.object} has format version ${trouble.version}, which this program does not know`;
    case 'missing':
      return `${trouble.object} does not exist`;
    case 'vanished':
      return `${whatVanished(trouble)}: ${trouble.evidence}; ${trouble.lost}`;
    case 'foreign':
      return `${trouble.object} is of a database that was here before epoch ${trouble.begun} began an empty one: it would be removed as a leftover`;
    case 'full':
      return `no space left on the device: ${trouble.operation} ${trouble.object}`;
    case 'io':
      return `${trouble.operation} ${trouble.object} failed`;
    case 'unavailable':
      return `${trouble.operation} ${trouble.object}: the object store${trouble.at === undefined ? '' : ` at ${trouble.at}`} does not answer`;
    case 'unauthorized':
      return `${trouble.operation} ${trouble.object}: the object store refuses the credentials`;
    case 'bucket_missing':
      return `the bucket "${trouble.bucket}" does not exist`;
    case 'unfit':
      return `the object store cannot be used: ${trouble.detail}`;
    case 'empty':
      return `there is no store in ${trouble.place} yet: a writer makes it`;
    case 'expired':
      return `the state that was read has been given up by the writer, and ${trouble.object} with it: ask again`;
    case 'replaced':
      return `another store has taken the place of this one: it was at ${trouble.held}, and now is at ${trouble.found}`;
  }
}

function whatVanished({ object, orManifestAfter }: StorageTrouble & { kind: 'vanished' }): string {
  const alone = `${object} is missing`;
  return orManifestAfter === undefined ? alone : `${alone}, or a manifest after ${orManifestAfter}`;
}

function describeHolder(holder: Holder | undefined): string {
  if (holder === undefined) return 'another process';
  const since = new Date(holder.startedUnixMs).toISOString();
  const address = holder.address === '' ? '' : `, serving ${holder.address}`;
  return `process ${holder.pid} on ${holder.hostname} since ${since}${address}`;
}

/** A fault of the storage location, not of an object: nothing is damaged, and it ends when the location answers or grants access. */
const outages: readonly StorageTrouble['kind'][] = [
  'unavailable',
  'unauthorized',
  'bucket_missing',
];

export function isOutage(error: unknown): boolean {
  return error instanceof StorageError && outages.includes(error.trouble.kind);
}

/** Turns what the system threw while doing `operation` on `object` into a StorageError; one that is one stays as it is. */
export function storageError(operation: string, object: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause;
  const code = (cause as { code?: unknown } | undefined)?.code;
  const kind = code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'io';
  return new StorageError({ kind, operation, object }, cause);
}

/** Whether a part of the store is damaged or gone, for good: what nobody else needs goes on without it. Failures that name a table have it as their cause. */
export function isDamage(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown };
  const found = error instanceof StorageError ? error : cause;
  if (!(found instanceof StorageError)) return false;
  const { kind } = found.trouble;
  return kind === 'corrupt' || kind === 'missing';
}
