/** Responses: JSON text as it is, and problems. */

import { DatabaseError, type Failure, fail, toProblem } from '#failure';

const jsonHeaders = { 'content-type': 'application/json' };

/** `text` is a finished JSON document. */
export function jsonReply(text: string, status = 200): Response {
  return new Response(text, { status, headers: jsonHeaders });
}

export function noContent(headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 204, headers });
}

export function problemReply(
  failure: Failure,
  headers: Readonly<Record<string, string>> = {},
  extra: Readonly<Record<string, unknown>> = {},
): Response {
  const problem = toProblem(failure);
  const all: Record<string, string> = { 'content-type': 'application/problem+json', ...headers };
  if (failure.retryAfterSeconds !== undefined) {
    all['retry-after'] = String(failure.retryAfterSeconds);
  }
  return new Response(JSON.stringify({ ...problem, ...extra }), {
    status: problem.status,
    headers: all,
  });
}

/** The failure behind anything that was thrown; what is none of ours is an internal one with its whole chain of causes. */
export function failureOf(error: unknown, incident: () => string): Failure {
  if (error instanceof DatabaseError) return error.failure;
  return fail('internal', describeChain(error), { incident: incident() }).failure;
}

function describeChain(error: unknown): string {
  const parts: string[] = [];
  let link: unknown = error;
  for (let depth = 0; link !== undefined && depth < 8; depth++) {
    parts.push(link instanceof Error ? `${link.name}: ${link.message}` : String(link));
    link = link instanceof Error ? link.cause : undefined;
  }
  return parts.join('; caused by ');
}
