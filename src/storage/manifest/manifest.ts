/** A manifest is the root of one state of the store: which tables make it up and where the log goes on. */

import type { LogExtent, SegmentSeal } from '../log/log.ts';

/** One immutable sorted file. */
export interface TableEntry {
  /** Object name, see `tableName`. */
  readonly name: string;
  readonly bytes: number;
  /** First and last user key. */
  readonly smallest: Uint8Array;
  readonly largest: Uint8Array;
  readonly sequenceMin: number;
  readonly sequenceMax: number;
  readonly entries: number;
  /** Hash of the whole file, 64 bits. */
  readonly hash: bigint;
  /** Checksum of the footer, which vouches for all of the file; absent: the program that wrote the table did not keep it. */
  readonly footer?: number | undefined;
}

/** Tables with disjoint key ranges, ascending. */
export interface Run {
  /** 0: flushed, in the order of flushing. Higher: merged. */
  readonly level: number;
  readonly tables: readonly TableEntry[];
}

/** What a flush or a compaction changes. */
export interface ManifestContents {
  /** Newest first: the first version met for a key is the newest one. */
  readonly runs: readonly Run[];
  /** Log records up to this number are in `runs`. */
  readonly boundary: number;
  /** The highest sequence that is in `runs` with all before it; what an ingestion has added may be of a higher one. */
  readonly lastSequence: number;
  /** The lowest number that no table of any epoch has. */
  readonly nextFile: number;
  /** Opaque to this layer. */
  readonly properties: ReadonlyMap<string, Uint8Array>;
}

export interface Manifest extends ManifestContents {
  readonly epoch: number;
  readonly number: number;
  readonly seals: readonly SegmentSeal[];
  /** Undefined when it was written in format 1. */
  readonly log: LogExtent | undefined;
}

const emptyContents: ManifestContents = {
  runs: [],
  boundary: 0,
  lastSequence: 0,
  nextFile: 1,
  properties: new Map(),
};

/** Of a place in which nobody has made a store yet. */
export const noManifest: Manifest = {
  ...emptyContents,
  epoch: 0,
  number: 0,
  seals: [],
  log: undefined,
};
