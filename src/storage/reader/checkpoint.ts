/** One pinned state of a store with its SSTables open. A checkpoint is immutable, shared by requests, and released with the last of them. */

import { equalBytes } from '#base';
import type { RunEntry, TableEntry } from '../manifest/manifest.ts';
import { type AreaStates, decodeAreas } from '../version/change-tracker.ts';
import { LiveSequences } from '../version/live-sequences.ts';
import { keptIn } from '../version/manifest-entries.ts';
import type { OpenRun } from '../version/open-run.ts';
import type { TableFiles } from '../version/table-files.ts';
import { Version } from '../version/version.ts';
import type { PinnedManifest } from './pin-newest.ts';

export interface Checkpoint {
  /** Name of the pinned manifest. */
  readonly name: string;
  /** Sequence at which its views read. No entry in its SSTables is above it. */
  readonly sequence: number;
  readonly areas: AreaStates;
  /** The sequences of its views. */
  readonly live: LiveSequences;
  readonly runs: readonly OpenRun[];
  /** The SSTables of the checkpoint. This version has one holder at first. */
  readonly version: Version;
}

/**
 * Opens the checkpoint of a pinned manifest. Reuses open SSTables of `former`. `gone` is called when the last holder has released the
 * checkpoint.
 */
export async function openCheckpoint(
  { pin, manifest }: PinnedManifest,
  files: TableFiles,
  former: Checkpoint | undefined,
  gone: (checkpoint: Checkpoint) => void,
): Promise<Checkpoint> {
  const known = former?.runs ?? [];
  const runs = await files.openRuns(withKnownEntries(manifest.runs, known), known, 'tolerated');
  const tables = runs.flatMap((run) => run.tables);
  const kept = keptIn(manifest);
  const sources = [...(kept === undefined ? [] : [kept]), ...runs.map((run) => run.source)];
  const version = new Version(sources, tables, () => {
    for (const held of tables) if (--held.holders === 0) held.table.close();
    gone(checkpoint);
  });
  const checkpoint: Checkpoint = {
    name: pin.manifest,
    sequence: manifest.lastSequence,
    areas: decodeAreas(manifest.properties),
    live: new LiveSequences(),
    runs,
    version,
  };
  return checkpoint;
}

/** Returns the runs with entries of open SSTables in place of equal ones, so that those SSTables stay open. */
function withKnownEntries(
  runs: readonly RunEntry[],
  known: readonly OpenRun[],
): readonly RunEntry[] {
  const byName = new Map<string, TableEntry[]>();
  for (const { table } of known.flatMap((run) => run.tables)) {
    const others = byName.get(table.entry.name) ?? [];
    byName.set(table.entry.name, [...others, table.entry]);
  }
  const entryOf = (entry: TableEntry): TableEntry =>
    byName.get(entry.name)?.find((other) => isSame(entry, other)) ?? entry;
  return runs.map((run) => ({ ...run, tables: run.tables.map(entryOf) }));
}

/** Returns whether both entries have the same bounds. A running compaction raises the lower bound of an SSTable; the file is the same. */
function isSame(left: TableEntry, right: TableEntry): boolean {
  return equalBytes(left.smallest, right.smallest) && equalBytes(left.largest, right.largest);
}
