/** Errors of a request without a usable response. */

/** The members of a problem document that every problem has (docs/errors.md). */
export interface ProblemDocument {
  readonly status: number;
  readonly title: string;
  readonly detail?: string;
  readonly code?: string;
  readonly reason?: string;
  /** All findings, if there are several. */
  readonly errors?: readonly { readonly detail: string }[];
}

/** The server rejected the request. */
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

/** No response arrived, or the response is not one of this interface. A request that changes data may have been executed. */
export class Unreachable extends Error {
  readonly origin: string;

  constructor(origin: string, why: string, cause?: unknown) {
    super(`no svc server answers at ${origin}: ${why}`, cause === undefined ? {} : { cause });
    this.name = 'Unreachable';
    this.origin = origin;
  }
}
