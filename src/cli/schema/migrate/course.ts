/** How far a migration has come, in words for somebody who loses sight of it: at Ctrl-C, and when the answers stop. */

import { Unreachable } from '#client';
import { CommandFailure } from '../../frame/command-failure.ts';
import { exitCodes } from '../../frame/exit-codes.ts';
import type { Shell } from '../../frame/shell.ts';
import type { Project } from '../../project/open-project.ts';

type Suggest = Project['suggest'];

export class Course {
  private phase: 'comparing' | 'sending' | 'committed' | 'arrived' = 'comparing';
  private transitions: readonly string[] = [];
  /** Undefined until the project is open: nothing is sent before. */
  private suggest: Suggest | undefined;

  /** From here on the database may have the migration. */
  sends({ suggest }: Project): void {
    this.phase = 'sending';
    this.suggest = suggest;
  }

  /** The database has refused it. */
  isRefused(): void {
    this.phase = 'comparing';
  }

  isCommitted(transitions: readonly string[]): void {
    this.phase = 'committed';
    this.transitions = transitions;
  }

  /** The database has the schema of the file; the project has yet to note it. */
  hasArrived(): void {
    this.phase = 'arrived';
  }

  get isSending(): boolean {
    return this.phase === 'sending';
  }

  /** What is left of an error: an interruption, a file that cannot be written, and a silence after the migration was sent, with how things stand. */
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

  /** A file of `svc.state` is missing: before the migration that holds it back, afterwards it does not undo it. */
  private unnoted({ facts, message }: CommandFailure): CommandFailure {
    const hint = this.hint();
    return new CommandFailure({ ...facts, message: told(message, this.standing()), hint });
  }

  private standing(): string {
    switch (this.phase) {
      case 'comparing':
        return 'nothing was sent, so nothing was changed';
      case 'sending':
        return 'the migration was sent, its answer was not seen';
      case 'committed': {
        const work = this.transitions.length === 0 ? '' : `: ${this.transitions.join(', ')}`;
        return `the migration is committed and goes on at the database${work}`;
      }
      case 'arrived':
        return 'the migration is done, and this project has not noted it';
    }
  }

  private hint(): string | undefined {
    const { suggest } = this;
    if (this.phase === 'comparing' || suggest === undefined) return undefined;
    const status = `\`${suggest('schema status')}\``;
    const migrate = `\`${suggest('schema migrate')}\``;
    if (this.phase === 'arrived') {
      return `the database has the schema of the file: let the project be written, then ${migrate} notes it and changes nothing`;
    }
    if (this.phase === 'sending') {
      return `${status} says whether it has arrived, ${migrate} takes it up again, in either case`;
    }
    return `${migrate} takes it up again where it is, ${status} says how things are; cancelling a transition gives it up`;
  }
}

/** An answer that was refused at a question says already that nothing was changed. */
function told(message: string, standing: string): string {
  return message.includes('nothing was changed') ? message : `${message}; ${standing}`;
}

/** Does the work, which tells its course, until it has ended or Ctrl-C is pressed; throws what says how things stand. */
export async function untilInterrupted(
  shell: Shell,
  work: (course: Course, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  using interruption = shell.interruption();
  const course = new Course();
  try {
    await Promise.race([work(course, interruption.signal), interruption.happened]);
  } catch (error) {
    throw course.explained(error);
  }
}
