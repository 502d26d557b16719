/** Shows the progress of transitions: a line that is redrawn on a terminal, events in JSON mode, and nothing in a pipe. */

import { isTerminal, type WireTransition } from '#client';
import { count } from '../../frame/quantity.ts';
import type { Shell } from '../../frame/shell.ts';
import { subject } from './show-transition.ts';

const spinner = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

export class Progress {
  private readonly shell: Shell;
  /** The first observation of each transition, or the last one in which it waited for others. */
  private readonly starts = new Map<string, Look>();
  private readonly shown = new Map<string, number>();
  private readonly countRows: (table: string) => Promise<number>;
  private readonly asked = new Set<string>();
  private readonly totals = new Map<string, number>();
  private turns = 0;

  /** `countRows` returns the number of rows of a table. */
  constructor(shell: Shell, countRows: (table: string) => Promise<number>) {
    this.shell = shell;
    this.countRows = countRows;
  }

  show(transitions: readonly WireTransition[]): void {
    const nowMs = this.shell.world.clock.monotonicMs();
    for (const { transition_id: id, rows_scanned: rows, state } of transitions) {
      if (state === 'waiting' || !this.starts.has(id)) this.starts.set(id, { nowMs, rows });
    }
    if (this.shell.mode === 'json') this.tell(transitions);
    else if (this.shell.isTerminal) this.draw(transitions);
  }

  end(): void {
    if (this.shell.mode === 'text' && this.shell.isTerminal && this.turns > 0)
      this.shell.redraw('');
  }

  /** Writes one event for each change that a transition recorded. */
  private tell(transitions: readonly WireTransition[]): void {
    for (const transition of transitions) {
      const { transition_id: id, generation, state, rows_scanned: rows } = transition;
      if (this.shown.get(id) === generation) continue;
      this.shown.set(id, generation);
      const event = {
        event: 'transition',
        transition_id: id,
        transition_kind: transition.transition_kind,
        state,
        ...(transition.object === undefined ? {} : { object: subject(transition) }),
        generation,
        rows_scanned: rows,
        rows_per_second: this.rate(transition),
      };
      this.shell.say(JSON.stringify(event));
    }
  }

  private draw(transitions: readonly WireTransition[]): void {
    const turn = spinner[this.turns++ % spinner.length];
    const running = transitions.filter((transition) => !isTerminal(transition));
    for (const transition of running) this.count(transition);
    const parts = running.map((transition) => this.part(transition));
    this.shell.redraw(parts.length === 0 ? '' : `${turn} ${parts.join(' · ')}`);
  }

  /** Formats one transition, such as `post_headline_idx on post  67,000/400,002 (17 %)  ~13 s`. */
  private part(transition: WireTransition): string {
    const { rows_scanned: rows, table = '', state } = transition;
    const total = this.totals.get(table);
    if (total === undefined) return `${subject(transition)}  ${state}, ${count(rows)} rows`;
    const share = total === 0 ? 100 : Math.min(100, Math.floor((rows / total) * 100));
    const rate = this.rate(transition);
    const left = rate === 0 ? '' : `  ~${Math.ceil(Math.max(0, total - rows) / rate)} s`;
    return `${subject(transition)}  ${count(rows)}/${count(total)} (${share} %)${left}`;
  }

  /** Counts the rows of a table once. If that fails, the share is not shown. */
  private count({ table }: WireTransition): void {
    if (table === undefined || this.asked.has(table)) return;
    this.asked.add(table);
    this.countRows(table).then(
      (rows) => void this.totals.set(table, rows),
      () => {},
    );
  }

  /** Returns the rows per second since the work on them started. */
  private rate({ transition_id: id, rows_scanned: rows }: WireTransition): number {
    const start = this.starts.get(id);
    if (start === undefined) return 0;
    const elapsedMs = this.shell.world.clock.monotonicMs() - start.nowMs;
    const done = rows - start.rows;
    return elapsedMs < 1 ? 0 : Math.round((done / elapsedMs) * 1000);
  }
}

interface Look {
  readonly nowMs: number;
  readonly rows: number;
}
