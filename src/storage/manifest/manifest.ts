/**
 * A manifest is the root of one state of the store: it names the SSTables and the position at which
 * the log continues.
 */

import type { LogExtent, SegmentSeal } from '../log/log.ts';

/** One immutable sorted file. */
export interface TableEntry {
  /** Object name, see `tableName`. */
  readonly name: string;
  readonly bytes: number;
  /** Smallest and largest user key. */
  readonly smallest: Uint8Array;
  readonly largest: Uint8Array;
  readonly sequenceMin: number;
  readonly sequenceMax: number;
  readonly entries: number;
  /** Hash of the whole file, 64 bits. */
  readonly hash: bigint;
  /**
   * Checksum of the footer, which covers the whole file. Undefined if the program that wrote the
   * SSTable did not store it.
   */
  readonly footer?: number | undefined;
}

/** An SSTable of a past run: versions of keys that only older views see. */
export interface PastTable extends TableEntry {
  /** From this sequence on, no view sees any of its versions. */
  readonly seenBelow: number;
}

/** A sorted run: SSTables with disjoint key ranges, in ascending order. */
export interface RunEntry {
  /** 0 for flushed runs, which are in the order of flushing; higher for compacted runs. */
  readonly level: number;
  readonly tables: readonly TableEntry[];
  /**
   * Its past run, right below it: the older versions of its keys that open views still see, with
   * disjoint key ranges in ascending order. A manifest does not contain past runs, because no view
   * survives the process.
   */
  readonly past?: readonly PastTable[];
}

/** The part of a manifest that a flush or a compaction changes. */
export interface ManifestContents {
  /** The runs, newest first: the first version found for a key is its newest one. */
  readonly runs: readonly RunEntry[];
  /** Log records up to this number are in `runs`. */
  readonly boundary: number;
  /**
   * The highest sequence that is in `runs` together with all sequences before it. Ingested entries
   * may have a higher one.
   */
  readonly lastSequence: number;
  /** The lowest number that no SSTable of any epoch has. */
  readonly nextFile: number;
  /** Opaque to this layer. */
  readonly properties: ReadonlyMap<string, Uint8Array>;
}

export interface Manifest extends ManifestContents {
  readonly epoch: number;
  readonly number: number;
  readonly seals: readonly SegmentSeal[];
  /** The state of the log; `undefined` if the manifest was written in format 1. */
  readonly log: LogExtent | undefined;
}

const emptyContents: ManifestContents = {
  runs: [],
  boundary: 0,
  lastSequence: 0,
  nextFile: 1,
  properties: new Map(),
};

/** The manifest of a storage location in which no store exists yet. */
export const noManifest: Manifest = {
  ...emptyContents,
  epoch: 0,
  number: 0,
  seals: [],
  log: undefined,
};
