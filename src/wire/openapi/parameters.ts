/** Parameters and headers that several operations share. */

import type { Parameter } from './operation.ts';

const text = { type: 'string', minLength: 1 };

function ofPath(name: string, description: string): Parameter {
  return { name, in: 'path', description, schema: text };
}

export const table = ofPath('table', 'The name of the table.');
export const column = ofPath('column', 'The name of the column.');
export const index = ofPath('index', 'The name of the index.');
export const transition = ofPath('transition', 'The id of the transition, as its start told it.');

export function ofQuery(name: string, description: string, schema: Parameter['schema']): Parameter {
  return { name, in: 'query', description, schema };
}

export function ofHeader(
  name: string,
  description: string,
  schema: Parameter['schema'],
): Parameter {
  return { name, in: 'header', description, schema };
}

export const deadline = ofHeader(
  'Svc-Deadline-Ms',
  'Milliseconds that the client gives the request; no more than `--statement-timeout-ms`.',
  { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
);

interface Header {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: string;
}

/** Headers of answers, by name. */
export const responseHeaders: Readonly<Record<string, Header>> = {
  ETag: {
    description: 'The weak tag of the result: equal tags prove equal results.',
    schema: { type: 'string', pattern: '^W/"svc-query-[A-Za-z0-9_-]+"$' },
  },
  'Accept-Query': {
    description: 'The type of a body of QUERY.',
    schema: { type: 'string' },
    example: '"application/vnd.svc.lir+json"',
  },
  'Cache-Control': {
    description: 'Results are asked for again each time, with their tag.',
    schema: { type: 'string' },
    example: 'private, no-cache',
  },
  Vary: {
    description: 'What of a request decides the answer.',
    schema: { type: 'string' },
    example: 'Accept, Authorization, Content-Encoding, Content-Type',
  },
  Allow: {
    description: 'The methods of the route.',
    schema: { type: 'string' },
    example: 'OPTIONS, POST, QUERY',
  },
  'Retry-After': {
    description: 'Seconds after which it is worth trying again.',
    schema: { type: 'integer', minimum: 1 },
  },
};
