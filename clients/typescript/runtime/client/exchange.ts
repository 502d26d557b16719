/** One request and its answer, read to the end so that its connection can serve the next one. */

/** One attempt of an operation, as middleware sees it. */
export interface Operation {
  readonly name: string;
  /** `schema` for requests by which the client checks the schema. */
  readonly kind: 'query' | 'program' | 'schema';
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly text: string;
}

export type Next = (operation: Operation) => Promise<Answer>;

/** Wraps each attempt: `(operation, next) => next(operation)`. A middleware may change the request, read the response, or return a response itself. */
export type Middleware = (operation: Operation, next: Next) => Promise<Answer>;

/** The part of the global `fetch` that the client uses. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    signal: AbortSignal;
  },
) => Promise<FetchAnswer>;

interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** Tells what `fetch` threw from what middleware threw. */
export class FetchFailure extends Error {}

export function exchangeOver(fetch: Fetch, use: readonly Middleware[]): Next {
  const exchange: Next = async ({ url, method, headers, body, signal }) => {
    try {
      const init = { method, headers, signal };
      const answer = await fetch(url, body === undefined ? init : { ...init, body });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    } catch (cause) {
      throw new FetchFailure('', { cause });
    }
  };
  return use.reduceRight<Next>((next, layer) => (operation) => layer(operation, next), exchange);
}
