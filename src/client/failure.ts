/** Why a request brought no answer that can be used. */

/** The members of a problem document that every one has (docs/errors.md). */
export interface ProblemDocument {
  readonly status: number;
  readonly title: string;
  readonly detail?: string;
  readonly code?: string;
  readonly reason?: string;
  /** All findings, where there are several. */
  readonly errors?: readonly { readonly detail: string }[];
}

/** The server refused. */
export class ServerProblem extends Error {
  readonly status: number;
  readonly problem: ProblemDocument;

  constructor(status: number, problem: ProblemDocument) {
    super(problem.detail ?? problem.title);
    this.name = 'ServerProblem';
    this.status = status;
    this.problem = problem;
  }
}

/** No answer came, or none that is of this interface. A request that changes something may have been carried out. */
export class Unreachable extends Error {
  readonly origin: string;

  constructor(origin: string, why: string, cause?: unknown) {
    super(`no svc server answers at ${origin}: ${why}`, cause === undefined ? {} : { cause });
    this.name = 'Unreachable';
    this.origin = origin;
  }
}
