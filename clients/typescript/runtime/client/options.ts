/** What a client and a call may be given. */

import type { Fetch, Middleware } from './exchange.ts';
import type { TokenSource } from './headers.ts';
import type { RetryOptions } from './retry.ts';

export interface Telemetry {
  /** Adds W3C context (`traceparent`, `tracestate`) to the headers of a request. */
  inject?(headers: Record<string, string>): void;
  /**
   * Runs one operation within a span. `attributes` names it (`db.operation.name`); `run` hands further ones to `end` before it settles: attempts, the
   * status and `error.type`. Never values.
   */
  span?<T>(
    name: string,
    attributes: SpanAttributes,
    run: (end: (attributes: SpanAttributes) => void) => Promise<T>,
  ): Promise<T>;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** The server has another schema, and all that the client knows fits it. */
export interface SchemaDrift {
  readonly schema_version: number;
  readonly schema_hash: string;
}

export interface ClientOptions {
  /** `svc://host[:port]`, `svcs://…` (TLS), `http(s)://…`. */
  readonly url: string;
  /** Of a reading process, for `db.reader`; that of `url` when absent. */
  readonly readerUrl?: string;
  /** A bearer token, or what gives one; asked before each request, and once more when the server refuses it. */
  readonly token?: TokenSource;
  /** For an operation with all its attempts (default 30,000). */
  readonly timeoutMs?: number;
  readonly retry?: RetryOptions;
  /** What a server of another schema means: `exact` refuses it, `verify` (default) refuses it unless all that the client knows is there, `off` asks nothing. */
  readonly schema?: 'exact' | 'verify' | 'off';
  readonly on?: { schemaDrift?(drift: SchemaDrift): void };
  /** What `cached` keeps at most (default 1,000 entries, 16 MiB). */
  readonly cache?: { readonly entries?: number; readonly bytes?: number };
  /** Instead of the global one. */
  readonly fetch?: Fetch;
  /** With every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Around each attempt, the first one outermost. */
  readonly use?: readonly Middleware[];
  readonly telemetry?: Telemetry;
  /** Adds the stack of the call to errors, which costs time. */
  readonly debug?: boolean;
}

export interface CallOptions {
  /** Gives the operation up. */
  readonly signal?: AbortSignal;
  /** Instead of the client's. */
  readonly timeoutMs?: number;
  /** Of the operation in errors and spans, instead of the query's. */
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a write may be repeated when nobody knows whether it happened. */
  readonly idempotent?: boolean;
}
