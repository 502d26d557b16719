/** Asks a database again for a while when it does not answer: a server that restarts is back within seconds, and a migration goes on there. */

import { pause } from '#base';
import { ServerProblem, Unreachable } from '#client';
import { CommandFailure } from '../../frame/command-failure.ts';
import { exitCodes } from '../../frame/exit-codes.ts';
import type { Shell } from '../../frame/shell.ts';
import type { Project } from '../../project/open-project.ts';

/** Of silence, from the first question without an answer on. */
const windowMs = 30_000;
const pauseMs = 500;

interface Expected {
  /** The database that was there at first. */
  readonly databaseId: string | undefined;
  /** Nobody waits any more. */
  readonly signal: AbortSignal;
}

export class RetryWindow {
  private readonly shell: Shell;
  private readonly project: Project;
  private readonly expected: Expected;
  private wasSilent = false;

  constructor(shell: Shell, project: Project, expected: Expected) {
    this.shell = shell;
    this.project = project;
    this.expected = expected;
  }

  /** Only for questions that may be asked twice. After a silence the database must be the one from before. */
  async ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    const { clock, scheduler } = this.shell.world;
    const endMs = clock.monotonicMs() + windowMs;
    for (;;) {
      try {
        if (this.wasSilent) await this.requireSame();
        const answer = await question();
        if (this.wasSilent) this.shell.note(`${this.project.database.url} answers again`);
        this.wasSilent = false;
        return answer;
      } catch (error) {
        this.expected.signal.throwIfAborted();
        if (!mayPass(error) || clock.monotonicMs() >= endMs) throw error;
        if (!this.wasSilent) {
          const why = (error as Error).message;
          this.shell.note(`${why}; trying again for ${windowMs / 1000} s`);
        }
        this.wasSilent = true;
      }
      await pause(scheduler, pauseMs);
    }
  }

  private async requireSame(): Promise<void> {
    const { api, database, suggest } = this.project;
    const { databaseId } = this.expected;
    const { database_id: found } = await api.info();
    if (found === databaseId) return;
    throw new CommandFailure({
      code: 'database_changed',
      message: `another database answers at ${database.url} now: ${found}, before it was ${databaseId}`,
      hint: `a server with --storage memory begins anew at each start; \`${suggest('schema status')}\` says how things are`,
      exitCode: exitCodes.conflict,
    });
  }
}

/** No answer, or one of a server that is starting. */
function mayPass(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ServerProblem && error.status === 503);
}
