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

/** A request that the server rejected. */
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

/** A request without a response, or with a response that is not one of this interface. If the request changes data, it may have been executed. */
export class Unreachable extends Error {
  readonly origin: string;
  /** The message ends with a remedy. */
  readonly hasRemedy: boolean;

  constructor(
    origin: string,
    why: string,
    { cause, remedy }: { readonly cause?: unknown; readonly remedy?: string | undefined } = {},
  ) {
    const text = remedy === undefined ? why : `${why}; ${remedy}`;
    super(`no svc server answers at ${origin}: ${text}`, cause === undefined ? {} : { cause });
    this.name = 'Unreachable';
    this.origin = origin;
    this.hasRemedy = remedy !== undefined;
  }
}
