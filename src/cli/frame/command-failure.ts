/** A command's own way to fail: a code for programs, words for people, and what to do next. */

import type { ExitCode } from './exit-codes.ts';

interface FailureFacts {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly exitCode?: ExitCode;
  /** For programs. */
  readonly details?: object;
}

export class CommandFailure extends Error {
  readonly facts: FailureFacts;

  constructor(facts: FailureFacts) {
    super(facts.message);
    this.name = 'CommandFailure';
    this.facts = facts;
  }
}
