/** A command's own way to fail: a code for programs, words for people, and what to do next. */

import { type ExitCode, exitCodes } from './exit-codes.ts';

interface FailureFacts {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly exitCode?: ExitCode;
  /** For programs. */
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

/** Wrong usage that only the command itself can tell. */
export function usageFailure(message: string, hint?: string): CommandFailure {
  return new CommandFailure({ code: 'usage', message, hint, exitCode: exitCodes.usage });
}
