/**
 * What has been committed, as a tree: a writer that is replaced without knowing may go on alone for a while. Everything that anybody
 * was ever told must lie on one line of that tree.
 */

import { gone } from './plots.ts';
import { Wrong } from './wrong.ts';

/** Fingerprints of values by the number of their key; undefined where there is none, `gone` where it was given up. */
export type State = readonly (string | undefined)[];

/** Writes by the number of their key; undefined is a deletion. */
export type Writes = ReadonlyMap<number, string | undefined>;

export interface Commit {
  readonly sequence: number;
  readonly parent: Commit | undefined;
  readonly writer: string;
  readonly writes: Writes;
  readonly state: State;
}

interface Opening {
  readonly order: number;
  readonly commit: Commit;
}

export class History {
  /** Commits that were told, by sequence: the line. */
  private line: Commit[];
  private bySequence: Commit[][];
  private openings: Opening[] = [];
  /** Acknowledged means durable; otherwise a crash may lose the last ones. */
  private readonly isDurable: boolean;
  commits = 0;
  acknowledged = 0;
  /** Batches of transactions that went to the disk, and commits of such transactions. */
  spilled = 0;
  large = 0;
  /** Acknowledged, and not there when a store was opened again. */
  lost = 0;

  constructor(keys: number, isDurable: boolean) {
    const state = new Array<undefined>(keys).fill(undefined);
    const root = { sequence: 0, parent: undefined, writer: '', writes: new Map(), state };
    this.line = [root];
    this.bySequence = [[root]];
    this.isDurable = isDurable;
  }

  /** The newest commit that anybody was told of. */
  get tip(): Commit {
    return this.line[this.line.length - 1] as Commit;
  }

  /** Goes on by itself. */
  clone(): History {
    const copy = new History(0, this.isDurable);
    copy.line = [...this.line];
    copy.bySequence = this.bySequence.map((commits) => [...commits]);
    copy.openings = [...this.openings];
    return copy;
  }

  append(parent: Commit, writer: string, writes: Writes): Commit {
    const state = [...parent.state];
    for (const [key, value] of writes) state[key] = value;
    const commit = { sequence: parent.sequence + 1, parent, writer, writes, state };
    this.bySequence[commit.sequence] ??= [];
    this.bySequence[commit.sequence]?.push(commit);
    this.commits++;
    return commit;
  }

  /** `commit` was acknowledged or shown by the writer that opened as number `order`. */
  told(commit: Commit, order: number, what: string): void {
    if (!this.isDurable) return;
    for (const opening of this.openings) {
      if (opening.order > order && !isWithin(commit, opening.commit)) {
        throw new Wrong(
          `${what} ${commit.sequence} by ${commit.writer} after a later writer had opened without it`,
        );
      }
    }
    this.extend(commit, what);
  }

  /** The commit that a store shows that was opened again. `tip` is what had been told when the opening began. */
  recovered(sequence: number, state: State, tip: Commit, order: number): Commit {
    if (this.isDurable && sequence < tip.sequence) {
      this.lost += tip.sequence - sequence;
      throw new Wrong(`recovered up to ${sequence}, but ${tip.sequence} was acknowledged`);
    }
    const candidates = this.bySequence[sequence] ?? [];
    const equal = candidates.filter((each) => shows(state, each.state));
    if (equal.length === 0) throw new Wrong(describeLoss(sequence, state, candidates));
    const told = this.line[sequence];
    const commit = equal.find((each) => each === told) ?? (equal.at(-1) as Commit);
    if (!this.isDurable) return commit;
    this.openings.push({ order, commit });
    this.extend(commit, 'recovered');
    return commit;
  }

  /** The commit that a reader shows. What is in tables is durable, so it lies on the line. */
  seen(sequence: number, state: State): Commit {
    const candidates = this.bySequence[sequence] ?? [];
    const equal = candidates.filter((each) => shows(state, each.state));
    const told = this.line[sequence];
    const commit = equal.find((each) => each === told) ?? equal.at(-1);
    if (commit === undefined)
      throw new Wrong(`a reader: ${describeLoss(sequence, state, candidates)}`);
    if (this.isDurable) this.extend(commit, 'read');
    return commit;
  }

  /** Lengthens the line, or finds `commit` on it. */
  private extend(commit: Commit, what: string): void {
    const { line } = this;
    const missing: Commit[] = [];
    let at: Commit = commit;
    while (at.sequence >= line.length) {
      missing.push(at);
      at = at.parent as Commit;
    }
    if (line[at.sequence] !== at) {
      const { writer } = line[at.sequence] as Commit;
      throw new Wrong(
        `${what} ${commit.sequence} by ${commit.writer}, but ${at.sequence} by ${writer} had been told`,
      );
    }
    line.push(...missing.reverse());
  }
}

/** Whether `commit` is `later` or one before it. */
function isWithin(commit: Commit, later: Commit): boolean {
  let at: Commit | undefined = later;
  while (at !== undefined && at.sequence > commit.sequence) at = at.parent;
  return at === commit;
}

/** Whether a store that holds `found` shows `state`. */
export function shows(found: State, state: State): boolean {
  return state.every((value, i) => value === gone || value === found[i]);
}

function describeLoss(sequence: number, state: State, candidates: readonly Commit[]): string {
  const [expected] = candidates;
  if (expected === undefined) return `sequence ${sequence} was never made`;
  const key = expected.state.findIndex((value, i) => value !== gone && value !== state[i]);
  return `the state at ${sequence} was never made: key ${key} is ${state[key]}, not ${expected.state[key]}`;
}
