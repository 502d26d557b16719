/** The options of a client and of a call. */

import type { Fetch, Middleware } from './exchange.ts';
import type { TokenSource } from './headers.ts';
import type { RetryOptions } from './retry.ts';

export interface Telemetry {
  /** Adds W3C context (`traceparent`, `tracestate`) to the headers of a request. */
  inject?(headers: Record<string, string>): void;
  /**
   * Runs one operation within a span. `attributes` contains its name (`db.operation.name`). Before `run` settles, it passes further attributes to `end`:
   * attempts, the status and `error.type`. Attributes never contain values.
   */
  span?<T>(
    name: string,
    attributes: SpanAttributes,
    run: (end: (attributes: SpanAttributes) => void) => Promise<T>,
  ): Promise<T>;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** The schema of the server, if it differs from that of the client but is compatible. */
export interface SchemaDrift {
  readonly schema_version: number;
  readonly schema_hash: string;
}

export interface ClientOptions {
  /** Address of the server: `svc://host[:port]`, `svcs://…` (TLS) or `http(s)://…`. */
  readonly url: string;
  /** Address of a read-only reader, for `db.reader`; if absent, `url`. */
  readonly readerUrl?: string;
  /** A bearer token, or a function that returns one. The function is called before each request, and once more if the server refuses the token. */
  readonly token?: TokenSource;
  /** Deadline of an operation with all its attempts, in milliseconds (default 30,000). */
  readonly timeoutMs?: number;
  readonly retry?: RetryOptions;
  /** Behavior if the server has another schema: `exact` throws, `verify` (default) throws unless the schema is compatible, `off` checks nothing. */
  readonly schema?: 'exact' | 'verify' | 'off';
  readonly on?: { schemaDrift?(drift: SchemaDrift): void };
  /** Limits of the results that `cached` stores (default 1,000 entries, 16 MiB). */
  readonly cache?: { readonly entries?: number; readonly bytes?: number };
  /** Sends requests instead of the global `fetch`. */
  readonly fetch?: Fetch;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Middleware around each attempt; the first one is the outermost. */
  readonly use?: readonly Middleware[];
  readonly telemetry?: Telemetry;
  /** Adds the stack of the call to errors, which costs time. */
  readonly debug?: boolean;
}

export interface CallOptions {
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
  /** Deadline of the operation in milliseconds, instead of that of the client. */
  readonly timeoutMs?: number;
  /** Name of the operation in errors and spans, instead of that of the query. */
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the client may repeat a write whose outcome is unknown. */
  readonly idempotent?: boolean;
}
