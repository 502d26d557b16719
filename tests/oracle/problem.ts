/** How the oracle refuses: code and reason, nothing else. */

export class OracleProblem extends Error {
  readonly code: string;
  readonly reason: string;

  constructor(code: string, reason: string, detail = '') {
    super(`${code}/${reason} ${detail}`);
    this.code = code;
    this.reason = reason;
  }
}

export function invalid(reason: string, detail = ''): OracleProblem {
  return new OracleProblem('invalid', reason, detail);
}

export function failed(reason: string, detail = ''): OracleProblem {
  return new OracleProblem('execution_failed', reason, detail);
}

/** Several rows are wrong, each in its own way; the first to be looked at is reported, and which one that is is left open. */
export class SeveralProblems extends Error {
  readonly problems: readonly OracleProblem[];

  constructor(problems: readonly OracleProblem[]) {
    super(problems.map((problem) => problem.message).join());
    this.problems = problems;
  }
}
