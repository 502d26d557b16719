/** Builds the responses to failures. The last one is kept, because each request of a flood with invalid tokens gets the same one. */

import { withoutKeys } from '#access';
import { challengeOf } from '#authentication';
import { type Failure, toProblem } from '#failure';
import type { Cors } from './cors.ts';

type HeaderRecord = Readonly<Record<string, string>>;

interface ProblemText {
  /** A JSON object. A key that a client has put into a wrong place is not repeated. */
  readonly text: string;
  readonly init: { readonly status: number; readonly headers: HeaderRecord };
}

interface Built extends ProblemText {
  readonly failure: Failure;
  readonly headers: HeaderRecord;
  readonly template: Response | undefined;
}

export class ProblemReplies {
  private readonly cors: Cors;
  private last: Built | undefined;

  constructor(cors: Cors) {
    this.cors = cors;
  }

  /** The response also has `headers`. */
  reply(failure: Failure, headers: HeaderRecord): Response {
    if (this.last?.failure !== failure || this.last.headers !== headers) {
      const { text, init } = problemText(failure, headers);
      const template = this.cors.templateOf(init);
      this.last = { failure, headers, text, init, template };
    }
    const { text, init, template } = this.last;
    return template === undefined ? new Response(text, init) : this.cors.completed(text, template);
  }
}

export function problemText(failure: Failure, headers: HeaderRecord): ProblemText {
  const problem = toProblem(failure);
  const all: Record<string, string> = { 'content-type': 'application/problem+json', ...headers };
  if (failure.retryAfterSeconds !== undefined) {
    all['retry-after'] = String(failure.retryAfterSeconds);
  }
  const challenge = challengeOf(failure.reason);
  if (challenge !== undefined) all['www-authenticate'] = challenge;
  if (failure.endsConnection) all['connection'] = 'close';
  const text = withoutKeys(JSON.stringify(problem));
  return { text, init: { status: problem.status, headers: all } };
}
