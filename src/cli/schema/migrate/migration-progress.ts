/** Tracks the progress of a migration, and describes it if the command ends early, by Ctrl-C or because the server stops responding. */

import { Unreachable } from '#client';
import { CommandFailure } from '../../frame/command-failure.ts';
import { exitCodes } from '../../frame/exit-codes.ts';
import type { Shell } from '../../frame/shell.ts';
import type { Project } from '../../project/open-project.ts';

type Suggest = Project['suggest'];

export class MigrationProgress {
  private phase: 'comparing' | 'sending' | 'committed' | 'arrived' = 'comparing';
  private transitions: readonly string[] = [];
  /** Formats suggested commands; `undefined` until the project is open. Nothing is sent before that. */
  private suggest: Suggest | undefined;

  /** Called before the migration is sent. From here on the database may have it. */
  sends({ suggest }: Project): void {
    this.phase = 'sending';
    this.suggest = suggest;
  }

  /** Called when the database has rejected the migration. */
  isRefused(): void {
    this.phase = 'comparing';
  }

  isCommitted(transitions: readonly string[]): void {
    this.phase = 'committed';
    this.transitions = transitions;
  }

  /** Called when the database has the schema of the file, and before the project records it. */
  hasArrived(): void {
    this.phase = 'arrived';
  }

  get isSending(): boolean {
    return this.phase === 'sending';
  }

  /**
   * Adds the progress to an error: an interruption, a file that cannot be written, or a missing response after the migration was sent. Returns other errors
   * unchanged.
   */
  explained(error: unknown): unknown {
    if (error instanceof CommandFailure && error.facts.code === 'file_unwritable') {
      return this.unnoted(error);
    }
    const isInterrupted = error instanceof CommandFailure && error.facts.code === 'interrupted';
    const isSilent = error instanceof Unreachable && this.phase !== 'comparing';
    if (!isInterrupted && !isSilent) return error;
    return new CommandFailure({
      code: isInterrupted ? 'interrupted' : 'unreachable',
      message: told(error.message, this.standing()),
      hint: this.hint(),
      exitCode: isInterrupted ? exitCodes.interrupted : exitCodes.unreachable,
      details: { transition_ids: this.transitions },
    });
  }

  /** Explains that a file of `svc.state` could not be written. Before the migration is sent, the error prevents it. Afterwards, the error does not undo it. */
  private unnoted({ facts, message }: CommandFailure): CommandFailure {
    const hint = this.hint();
    return new CommandFailure({ ...facts, message: told(message, this.standing()), hint });
  }

  private standing(): string {
    switch (this.phase) {
      case 'comparing':
        return 'nothing was sent, so nothing was changed';
      case 'sending':
        return 'the migration was sent, but its response was not received';
      case 'committed': {
        const work = this.transitions.length === 0 ? '' : `: ${this.transitions.join(', ')}`;
        return `the migration is committed and continues on the server${work}`;
      }
      case 'arrived':
        return 'the migration is complete, but this project has not recorded it';
    }
  }

  private hint(): string | undefined {
    const { suggest } = this;
    if (this.phase === 'comparing' || suggest === undefined) return undefined;
    const status = `\`${suggest('schema status')}\``;
    const migrate = `\`${suggest('schema migrate')}\``;
    if (this.phase === 'arrived') {
      return `the database has the schema of the file; make the project writable, then ${migrate} records the schema and changes nothing else`;
    }
    if (this.phase === 'sending') {
      return `${status} shows whether it was committed, and ${migrate} continues it in either case`;
    }
    return `${migrate} continues it, and ${status} shows its state; canceling a transition discards its work`;
  }
}

/** Appends the progress to a message, unless the message already states that nothing was changed. */
function told(message: string, standing: string): string {
  return message.includes('nothing was changed') ? message : `${message}; ${standing}`;
}

/** Runs `work`, which reports its progress, until it ends or Ctrl-C is pressed. Throws errors with the progress. */
export async function untilInterrupted(
  shell: Shell,
  work: (course: MigrationProgress, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  using interruption = shell.interruption();
  const course = new MigrationProgress();
  try {
    await Promise.race([work(course, interruption.signal), interruption.happened]);
  } catch (error) {
    throw course.explained(error);
  }
}
