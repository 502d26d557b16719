/** Repeats requests for a limited time if a database does not respond. A restarting server returns within seconds and continues the migration. */

import { pause } from '#base';
import { ServerProblem, Unreachable } from '#client';
import { CommandFailure } from '../../frame/command-failure.ts';
import { exitCodes } from '../../frame/exit-codes.ts';
import type { Shell } from '../../frame/shell.ts';
import type { Project } from '../../project/open-project.ts';

/** Time limit of the repetitions, from the first failure: a request that hangs reaches its own time limit first. */
const windowMs = 30_000;
const pauseMs = 500;

interface Expected {
  /** The id of the database at the start. */
  readonly databaseId: string | undefined;
  /** Aborted when the caller no longer waits. */
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

  /** Sends a request that is safe to repeat. After a failed request, the database must still have the id that it had at the start. */
  async ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    const { clock, scheduler } = this.shell.world;
    let endMs = Infinity;
    for (;;) {
      try {
        if (this.wasSilent) await this.requireSame();
        const answer = await question();
        if (this.wasSilent) this.shell.note(`${this.project.database.url} responds again`);
        this.wasSilent = false;
        return answer;
      } catch (error) {
        this.expected.signal.throwIfAborted();
        if (!mayPass(error) || clock.monotonicMs() >= endMs) throw error;
        endMs = Math.min(endMs, clock.monotonicMs() + windowMs);
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
      message: `another database responds at ${database.url} now: ${found} instead of ${databaseId}`,
      hint: `a server with --storage memory starts with an empty database; \`${suggest('schema status')}\` shows the current state`,
      exitCode: exitCodes.conflict,
    });
  }
}

/** Returns whether the error may be temporary: no response, or the response of a starting server. */
function mayPass(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof ServerProblem && error.status === 503);
}
