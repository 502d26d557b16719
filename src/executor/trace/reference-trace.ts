/** A trace of the foreign-key checks of a statement. */

import type { Clock } from '#base';
import type { ForeignKey } from '#catalog';

/** Number of reads that the program has requested from the store so far. */
interface Reads {
  readonly gets: number;
  readonly iterated: number;
}

/** The access path to the rows of the other table: by its primary key, by one of its indexes, or by a scan of all rows. */
type AccessPath = 'primary_key' | 'index' | 'scan';

interface CheckedKey {
  /** The table that the foreign key belongs to. */
  readonly table: string;
  readonly foreignKey: ForeignKey;
  readonly accessPath: AccessPath;
  /** The rows that are looked up: the row to which a written row refers, or the rows that refer to a removed one. */
  readonly wanted: 'referenced' | 'referring';
}

/** All lookups of a statement for one foreign key; times in milliseconds, waits included. */
export interface ReferenceCheck extends CheckedKey {
  /** Start of the first lookup, by the monotonic clock. */
  readonly beganMs: number;
  ms: number;
  /** Number of keys that were looked up, or of entries that were scanned. */
  rowsExamined: number;
  /** Whether a lookup found a row, or the result of the lookup that made the statement fail. Undefined until a lookup has ended. */
  matchFound: boolean | undefined;
  /** Whether the last lookup has ended. */
  isOver: boolean;
  hasRefused: boolean;
}

/** One lookup for one foreign key. */
interface ReferenceLook {
  /** Ends the lookup. `hasRefused` is true if it makes the statement fail. */
  end(matchFound: boolean, hasRefused: boolean): void;
}

export class ReferenceTrace {
  /** One entry for each foreign key that is checked; the catalog limits their number. */
  private readonly byKey = new Map<ForeignKey, ReferenceCheck>();
  private readonly clock: Clock;
  private readonly kv: Reads;

  constructor(clock: Clock, kv: Reads) {
    this.clock = clock;
    this.kv = kv;
  }

  get checks(): readonly ReferenceCheck[] {
    return [...this.byKey.values()];
  }

  begin(key: CheckedKey): ReferenceLook {
    const { clock, kv } = this;
    const beganMs = clock.monotonicMs();
    let check = this.byKey.get(key.foreignKey);
    if (check === undefined) {
      const open = { isOver: false, hasRefused: false, matchFound: undefined };
      check = { ...key, ...open, beganMs, ms: 0, rowsExamined: 0 };
      this.byKey.set(key.foreignKey, check);
    }
    const one = check;
    one.isOver = false;
    // Rows of index entries are read too, but each counts once.
    const examined = () => (key.wanted === 'referenced' ? kv.gets : kv.iterated);
    const before = examined();
    return {
      end: (matchFound, hasRefused) => {
        one.ms += clock.monotonicMs() - beganMs;
        one.rowsExamined += examined() - before;
        one.isOver = true;
        // A lookup of NULL keys alone finds nothing, and the next one can.
        if (hasRefused) one.matchFound = matchFound;
        else if (!one.hasRefused) one.matchFound = matchFound || one.matchFound === true;
        one.hasRefused ||= hasRefused;
      },
    };
  }
}
