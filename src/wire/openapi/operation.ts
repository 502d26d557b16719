/** What an operation of the interface is, as data: routes, the OpenAPI document and docs/http.md follow from these. */

/** A header, a part of the path or a query parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  /** JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly description: string;
  /** The definition of its body; undefined for an answer without one. */
  readonly body?: string;
  /** Of the body, where it is neither JSON nor a problem. */
  readonly type?: string;
  /** Names of `responseHeaders`. */
  readonly headers?: readonly string[];
}

export interface Example {
  /** Of the path, in order: the table, then the column. */
  readonly path?: string;
  readonly body?: unknown;
  readonly status?: number;
  readonly answer: unknown;
  /** Members, at any depth, that are another each time. */
  readonly varying?: readonly string[];
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'QUERY';
  /** With the parameters of the path in braces. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: { readonly type: string; readonly definition: string };
  /** By status; what every operation may answer besides stands in `document.ts`. */
  readonly answers: Readonly<Record<number, Answer>>;
  readonly examples?: readonly Example[];
}

export const jsonType = 'application/json';
export const queryType = 'application/vnd.svc.lir+json';
