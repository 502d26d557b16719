/** Checks of foreign keys, of a statement that somebody watches. */

import type { Clock } from '#base';
import type { ForeignKey } from '#catalog';

/** What the program has asked of the store so far. */
interface Reads {
  readonly gets: number;
  readonly iterated: number;
}

/** How the other side was looked for: by its primary key, by one of its indexes, in all of its rows. */
type AccessPath = 'primary_key' | 'index' | 'scan';

interface CheckedKey {
  /** That the foreign key belongs to. */
  readonly table: string;
  readonly foreignKey: ForeignKey;
  readonly accessPath: AccessPath;
  /** What is looked for: the row that a written one refers to, or rows that refer to one that goes. */
  readonly wanted: 'referenced' | 'referring';
}

/** All looks that a statement takes at one foreign key; times in milliseconds, waits included. */
export interface ReferenceCheck extends CheckedKey {
  /** By the steady clock, of the first look. */
  readonly beganMs: number;
  ms: number;
  /** Keys that were looked up, or entries that were passed. */
  rowsExamined: number;
  /** Whether what was looked for was there: each time for rows that refer, once for rows that go. Undefined: nobody has got so far. */
  matchFound: boolean | undefined;
  /** The last look has come to its end. */
  isOver: boolean;
  hasRefused: boolean;
}

/** One look at one foreign key. */
interface ReferenceLook {
  /** What it says of `matchFound`; `hasRefused` when the statement fails by it. */
  end(matchFound: boolean, hasRefused: boolean): void;
}

export class ReferenceTrace {
  /** As many as there are foreign keys in question, which the catalog limits. */
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
    // Rows behind entries of an index are read as well, and count once.
    const examined = () => (key.wanted === 'referenced' ? kv.gets : kv.iterated);
    const before = examined();
    return {
      end: (matchFound, hasRefused) => {
        one.ms += clock.monotonicMs() - beganMs;
        one.rowsExamined += examined() - before;
        one.isOver = true;
        // Rows that refer have to find something each time; rows that go, never.
        if (hasRefused || one.matchFound === undefined) one.matchFound = matchFound;
        one.hasRefused ||= hasRefused;
      },
    };
  }
}
