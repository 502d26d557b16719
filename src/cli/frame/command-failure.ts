/** An error of a command: a code for programs, a message for people, and a hint with the remedy. */

import { type ExitCode, exitCodes } from './exit-codes.ts';

interface FailureFacts {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly exitCode?: ExitCode;
  /** Additional facts for programs. */
  readonly details?: object | undefined;
}

export class CommandFailure extends Error {
  readonly facts: FailureFacts;

  constructor(facts: FailureFacts) {
    super(facts.message);
    this.name = 'CommandFailure';
    this.facts = facts;
  }
}

/** Returns a usage error that only the command itself can detect. */
export function usageFailure(message: string, hint?: string): CommandFailure {
  return new CommandFailure({ code: 'usage', message, hint, exitCode: exitCodes.usage });
}
