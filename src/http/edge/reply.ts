/** Builds responses from JSON text and from failures. */

import { ClientGone } from '#engine';
import type { Failure } from '#failure';
import type { HttpContext } from '../context.ts';
import { headersOfProblem } from '../program/query-headers.ts';
import { failureOf } from './failure-of.ts';
import { problemText } from './problem-replies.ts';

const noHeaders = {};
const jsonHeaders = { 'content-type': 'application/json' };
/** Status and headers of most responses. Copying them from a response takes half the time of building them from an object. */
const plainJson = new Response(null, { headers: jsonHeaders });

/** Returns a JSON response. `text` is a complete JSON document. */
export function jsonReply(
  text: string,
  status = 200,
  more?: Readonly<Record<string, string>>,
): Response {
  if (more === undefined && status === 200) return new Response(text, plainJson);
  return new Response(text, { status, headers: { ...more, ...jsonHeaders } });
}

export function noContent(headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status: 204, headers });
}

interface ProblemParts {
  readonly headers?: Readonly<Record<string, string>>;
  /** The diagnostics, if the request asked for them. */
  readonly diagnosis?: { text(failure: Failure): string } | undefined;
}

/** Returns the problem response for any thrown value. An internal failure is reported with its incident number. */
export function answerFailure(
  context: HttpContext,
  request: Request,
  error: unknown,
  { headers = headersOfProblem(request), diagnosis }: ProblemParts = {},
): Response {
  // The client has disconnected. The status is only for the log.
  if (error instanceof ClientGone) return new Response(null, { status: 499 });
  const failure = failureOf(error, context.incident);
  context.audit?.failed(request, failure);
  const reply = replyTo(context, request, { failure, error }, { headers, diagnosis });
  return request.method === 'HEAD' ? new Response(null, reply) : reply;
}

function replyTo(
  context: HttpContext,
  request: Request,
  { failure, error }: { readonly failure: Failure; readonly error: unknown },
  { headers = noHeaders, diagnosis }: ProblemParts,
): Response {
  if (failure.incident === undefined) return problemReply(context, failure, headers, diagnosis);
  context.onInternalError(failure.incident, error, request);
  const isShown = context.authority.seesCauses(request);
  const shown = isShown ? failure : { ...failure, detail: 'internal failure' };
  return problemReply(context, shown, headers, diagnosis);
}

function problemReply(
  { problems }: HttpContext,
  failure: Failure,
  headers: Readonly<Record<string, string>>,
  diagnosis: ProblemParts['diagnosis'],
): Response {
  if (diagnosis === undefined) return problems.reply(failure, headers);
  const { text, init } = problemText(failure, headers);
  const told = `${text.slice(0, -1)},"_svc":{"diagnostics":${diagnosis.text(failure)}}}`;
  return new Response(told, init);
}
