/** How far durable work is: a line that is redrawn on a terminal, events in JSON mode, nothing in a pipe. */

import { isTerminal, type Transition } from '#client';
import type { Shell } from '../../frame/shell.ts';

const spinner = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

export class Progress {
  private readonly shell: Shell;
  private readonly startedMs: number;
  private readonly firstRows = new Map<string, number>();
  private readonly shown = new Map<string, number>();
  private turns = 0;

  constructor(shell: Shell) {
    this.shell = shell;
    this.startedMs = shell.world.clock.monotonicMs();
  }

  show(transitions: readonly Transition[]): void {
    for (const { transition_id: id, rows_scanned: rows } of transitions) {
      if (!this.firstRows.has(id)) this.firstRows.set(id, rows);
    }
    if (this.shell.mode === 'json') this.tell(transitions);
    else if (this.shell.isTerminal) this.draw(transitions);
  }

  end(): void {
    if (this.shell.mode === 'text' && this.shell.isTerminal && this.turns > 0)
      this.shell.redraw('');
  }

  /** One event for each change that a transition recorded. */
  private tell(transitions: readonly Transition[]): void {
    for (const transition of transitions) {
      const { transition_id: id, generation, state, rows_scanned: rows } = transition;
      if (this.shown.get(id) === generation) continue;
      this.shown.set(id, generation);
      const event = {
        event: 'transition',
        transition_id: id,
        transition_kind: transition.transition_kind,
        state,
        generation,
        rows_scanned: rows,
        rows_per_second: this.rate(transition),
      };
      this.shell.say(JSON.stringify(event));
    }
  }

  private draw(transitions: readonly Transition[]): void {
    const turn = spinner[this.turns++ % spinner.length];
    const running = transitions.filter((transition) => !isTerminal(transition));
    const parts = running.map((transition) => {
      const { transition_id: id, state, rows_scanned: rows } = transition;
      const count = rows.toLocaleString('en-US');
      return `${id} ${state}, ${count} rows, ${this.rate(transition).toLocaleString('en-US')}/s`;
    });
    this.shell.redraw(parts.length === 0 ? '' : `${turn} ${parts.join(' · ')}`);
  }

  /** Rows a second since the waiting began. */
  private rate({ transition_id: id, rows_scanned: rows }: Transition): number {
    const elapsedMs = this.shell.world.clock.monotonicMs() - this.startedMs;
    const done = rows - (this.firstRows.get(id) ?? rows);
    return elapsedMs < 1 ? 0 : Math.round((done / elapsedMs) * 1000);
  }
}
