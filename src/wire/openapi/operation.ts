/** The operations of the interface as data. Routes, the OpenAPI document and docs/http.md are generated from them. */

import type { Alternative, Scope } from '#access';

/** A header, a path parameter or a query parameter. */
export interface OperationParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  /** JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ResponseSpec {
  readonly description: string;
  /** The name of the definition of the body; `undefined` if the response has no body. */
  readonly body?: string;
  /** The media type of a body that is neither JSON nor a problem. */
  readonly type?: string;
  /** Names of `responseHeaders`. */
  readonly headers?: readonly string[];
}

export interface Example {
  /** The path with values for its parameters; the path of the operation if absent. */
  readonly path?: string;
  readonly body?: unknown;
  readonly status?: number;
  readonly answer: unknown;
  /** Names of members, at any depth, whose value differs each time. */
  readonly varying?: readonly string[];
}

/**
 * The permissions that an operation requires of a server with authentication. `nothing`: also requests without a token. `token`: any valid token. A list:
 * one of its alternatives.
 */
export type OperationNeeds = 'nothing' | 'token' | readonly Alternative[];

/** Needs of one of the scopes. */
export function scope(...scopes: readonly Scope[]): OperationNeeds {
  return scopes.map((one) => ({ scope: one }));
}

/** Needs of a scope without a restriction to tables or rows, or of another scope. */
export function unrestrictedOr(restrictable: Scope, other: Scope): OperationNeeds {
  return [{ scope: restrictable, isUnrestricted: true }, { scope: other }];
}

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'QUERY';
  /** The path, with its parameters in braces. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly needs: OperationNeeds;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly OperationParameter[];
  readonly body?: { readonly type: string; readonly definition: string };
  /** Responses by status. `document.ts` adds those that every operation may return. */
  readonly answers: Readonly<Record<number, ResponseSpec>>;
  readonly examples?: readonly Example[];
}

export const jsonType = 'application/json';
export const queryType = 'application/vnd.svc.lir+json';
