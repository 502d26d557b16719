/**
 * A commit whose entries are in SSTables that its log record names. Until a manifest names them, the
 * commit is one of the frozen items of the store, next to frozen memtables.
 */

import { levels } from '../manifest/levels.ts';
import type { TableEntry } from '../manifest/manifest.ts';
import type { Memtable } from '../memtable/memtable.ts';
import type { OpenRun } from './open-run.ts';

export class CommittedRun {
  /** The sequence of the commit, which all of its entries have. */
  readonly sequenceMax: number;
  /** In key order and disjoint, with the sequence of the commit. */
  readonly tables: readonly TableEntry[];
  /** Memory that the publication of the commit will release. */
  readonly bytes = 0;
  /** Set when the SSTables are open: at once for a commit, after the replay for a recovered one. */
  open: OpenRun | undefined;

  constructor(sequence: number, tables: readonly TableEntry[], open?: OpenRun) {
    this.sequenceMax = sequence;
    this.tables = tables;
    this.open = open;
  }
}

/** The unit of a flush: after it, the log boundary of the manifest is `sequenceMax`. */
export type Frozen = Memtable | CommittedRun;

/** Returns the SSTables with the sequence of their commit, which they do not contain. */
export function committedAt(sequence: number, tables: readonly TableEntry[]): TableEntry[] {
  return tables.map((table) => ({ ...table, sequenceMin: sequence, sequenceMax: sequence }));
}

/** Returns the run as a manifest contains it. */
export function runEntriesOf({ tables }: CommittedRun) {
  // There is no SSTable if all entries had been dropped.
  return tables.length === 0 ? [] : [{ level: levels.flushed, tables }];
}
