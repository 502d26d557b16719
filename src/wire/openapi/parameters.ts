/** Parameters and headers that several operations share. */

import type { OperationParameter } from './operation.ts';

const text = { type: 'string', minLength: 1 };

function ofPath(name: string, description: string): OperationParameter {
  return { name, in: 'path', description, schema: text };
}

export const table = ofPath('table', 'The name of the table.');
export const column = ofPath('column', 'The name of the column.');
export const index = ofPath('index', 'The name of the index.');
export const transition = ofPath(
  'transition',
  'The id of the transition, from the response that started it.',
);

export const apiKey = ofPath('key', 'The id of the key, not its text.');

export function ofQuery(
  name: string,
  description: string,
  schema: OperationParameter['schema'],
): OperationParameter {
  return { name, in: 'query', description, schema };
}

export function ofHeader(
  name: string,
  description: string,
  schema: OperationParameter['schema'],
): OperationParameter {
  return { name, in: 'header', description, schema };
}

export const deadline = ofHeader(
  'Svc-Deadline-Ms',
  'Time limit of the request in milliseconds; at most `--statement-timeout-ms`.',
  { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
);

interface Header {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: string;
}

/** Headers of responses, by name. */
export const responseHeaders: Readonly<Record<string, Header>> = {
  ETag: {
    description: 'The weak tag of the result: equal tags prove equal results.',
    schema: { type: 'string', pattern: '^W/"svc-query-[A-Za-z0-9_-]+"$' },
  },
  'Accept-Query': {
    description: 'The media type of the body of a QUERY.',
    schema: { type: 'string' },
    example: '"application/vnd.svc.lir+json"',
  },
  'Cache-Control': {
    description: 'Clients must revalidate a result each time, with its tag.',
    schema: { type: 'string' },
    example: 'private, no-cache',
  },
  Vary: {
    description: 'The request headers that determine the response.',
    schema: { type: 'string' },
    example: 'Accept, Authorization, Content-Encoding, Content-Type',
  },
  Allow: {
    description: 'The methods of the route.',
    schema: { type: 'string' },
    example: 'OPTIONS, POST, QUERY',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
  },
};
