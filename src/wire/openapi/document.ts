/** The OpenAPI 3.1 document of the interface. */

import { version } from '#base';
import { components } from './components.ts';
import {
  type Example,
  jsonType,
  type Operation,
  type OperationParameter,
  type ResponseSpec,
} from './operation.ts';
import { operations } from './operations.ts';
import { responseHeaders } from './parameters.ts';
import { problemStatuses } from './problem-statuses.ts';

const problemType = 'application/problem+json';

const about = `A relational database service: programs over relations, as JSON.

A response with a status other than 2xx or 304 contains a problem document; probes return a small document of another type. \`HEAD\` works on every route of \`GET\`. For an unknown path the server returns 404, for another method 405 with \`Allow\`.
OpenAPI 3.1 does not support the method QUERY. The member \`x-query\` of the path describes \`QUERY /execute\`, in the form of other operations.`;

const tokenText =
  'The access token of a server with authentication (`--auth`). Each operation lists the scopes of which a token needs one.';

/** Returns the document that the server serves and that is committed under `schemas/`. */
export function openApiDocument(): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const key = operation.method === 'QUERY' ? 'x-query' : operation.method.toLowerCase();
    paths[operation.path] = { ...paths[operation.path], [key]: rendered(operation) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'svc', version, description: about },
    servers: [{ url: '/', description: 'The process that serves this document.' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components(),
      headers: responseHeaders,
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: tokenText } },
    },
  };
}

function rendered(operation: Operation): unknown {
  const { id, tag, summary, description, parameters = [], body, examples = [] } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: securityOf(operation),
    ...(parameters.length > 0 && { parameters: parameters.map(parameterOf) }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: {
          [body.type]: { schema: refTo(body.definition), ...named(examples, ({ body }) => body) },
        },
      },
    }),
    responses: Object.fromEntries(
      [...answersOf(operation)].map(([status, answer]) => [
        status,
        response(
          answer,
          examples.filter((one) => String(one.status ?? 200) === status),
        ),
      ]),
    ),
  };
}

function securityOf({ needs }: Operation): readonly object[] {
  if (needs === 'nothing') return [];
  if (needs === 'token') return [{ token: [] }];
  return needs.map(({ scope }) => ({ token: [scope] }));
}

function* answersOf(operation: Operation): Generator<[string, ResponseSpec]> {
  yield* Object.entries(operation.answers);
  const headers = operation.method === 'QUERY' ? operation.answers[304]?.headers?.slice(1) : [];
  for (const [status, { description, isOf }] of Object.entries(problemStatuses)) {
    if (!isOf(operation) || status in operation.answers) continue;
    const retry = status === '503' ? ['Retry-After'] : [];
    yield [status, { description, body: 'Problem', headers: [...retry, ...(headers ?? [])] }];
  }
  yield ['default', { description: 'Any other failure.', body: 'Problem' }];
}

function response(
  { description, body, type: given, headers = [] }: ResponseSpec,
  examples: readonly Example[],
) {
  const type = given ?? (body === 'Problem' ? problemType : jsonType);
  return {
    description,
    ...(headers.length > 0 && {
      headers: Object.fromEntries(
        headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
      ),
    }),
    ...(body !== undefined && {
      content: { [type]: { schema: refTo(body), ...named(examples, ({ answer }) => answer) } },
    }),
  };
}

function parameterOf({ name, in: place, description, schema }: OperationParameter) {
  return { name, in: place, description, ...(place === 'path' && { required: true }), schema };
}

/** Returns the first example that contains a value. */
function named(examples: readonly Example[], of: (example: Example) => unknown) {
  const value = examples.map(of).find((one) => one !== undefined);
  return value === undefined ? {} : { example: value };
}

function refTo(definition: string) {
  return { $ref: `#/components/schemas/${definition}` };
}
