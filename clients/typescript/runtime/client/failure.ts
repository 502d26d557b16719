/** What came of one attempt that did not succeed, before it is known whether there will be another one. */

import type { Phase, Problem } from './errors.ts';
import type { Answer } from './exchange.ts';

export type Failure =
  | {
      readonly problem: Problem;
      /** Of `Retry-After`; undefined without it. */
      readonly retryAfterMs: number | undefined;
    }
  | {
      readonly phase: Phase;
      readonly message: string;
      readonly cause?: unknown;
      /** Of an answer that is not svc's. */
      readonly status?: number;
    };

/** A failure that carries no problem document. */
type Silence = Exclude<Failure, { readonly problem: Problem }>;

/** The problem in an answer that cannot be used, or why there is none. A problem whose status tells of success is none of svc's. */
export function failureIn({ status, headers, text }: Answer, unixMs: number): Failure {
  const problem = problemIn(text, status);
  if (problem !== undefined) {
    return { problem, retryAfterMs: retryAfter(headers.get('retry-after'), unixMs) };
  }
  const message = `what answered is no svc server (status ${status})`;
  return { phase: 'protocol', message, status };
}

function problemIn(text: string, status: number): Problem | undefined {
  try {
    const found: unknown = JSON.parse(text);
    const { code, reason } = found as Problem;
    const isProblem = status >= 300 && typeof code === 'string' && typeof reason === 'string';
    return isProblem ? { ...(found as Problem), status } : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` is a number of seconds or a date (RFC 9110 §10.2.3). */
function retryAfter(value: string | null, unixMs: number): number | undefined {
  if (value === null) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : httpDate(value) - unixMs;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** NaN for a text that is not an IMF-fixdate (RFC 9110 §5.6.7): Date.parse alone accepts 30 February and other formats. */
function httpDate(text: string): number {
  const ms = Date.parse(text);
  return new Date(ms).toUTCString() === text ? ms : Number.NaN;
}

/** Codes of Node, Bun and undici for a connection that never came to be; what was to be sent is certainly unsent. */
const unsentCodes =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|ConnectionRefused|FailedToOpenSocket|UND_ERR_CONNECT_TIMEOUT|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_CERT_\w+)$/;

/** Why `fetch` rejected. Browsers do not tell a refused connection from a broken one: it counts as broken. */
export function silenceOf(error: unknown): Silence {
  const { code, message, cause } = (error ?? {}) as Partial<Error> & { readonly code?: string };
  const inner = (cause ?? {}) as { code?: string; syscall?: string; message?: string };
  const isUnsent =
    unsentCodes.test(code ?? '') ||
    unsentCodes.test(inner.code ?? '') ||
    /^(?:connect|getaddrinfo)$/.test(inner.syscall ?? '') ||
    // Deno has texts only.
    /client error \(Connect\)/.test(`${message}${inner.message}`);
  const why = inner.message || message || String(error);
  return {
    phase: isUnsent ? 'connect' : 'response',
    message: `${isUnsent ? 'no connection' : 'the connection broke off'}: ${why}`,
    cause: error,
  };
}
