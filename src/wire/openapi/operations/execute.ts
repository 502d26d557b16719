/** Operations that run programs and conditional queries. */

import { jsonType, type Operation, queryType, scope } from '../operation.ts';
import { deadline, ofHeader, ofQuery } from '../parameters.ts';

const path = '/execute';
const boolean = { type: 'boolean' };
const everyAnswer = ['Accept-Query', 'Cache-Control', 'Vary'];

export const executeOperations: readonly Operation[] = [
  {
    method: 'POST',
    path,
    id: 'execute',
    needs: scope('read', 'write', 'schema'),
    tag: 'Programs',
    summary: 'Runs a program',
    description:
      'Runs the statements in order, and commits all or none of them ([pir.md](pir.md), [lir.md](lir.md)). `result` names the statement whose rows the response contains. A program of several statements requires it.',
    parameters: [
      ofQuery('dry-run', 'Checks and plans the program without running it.', boolean),
      ofQuery('show-plan', 'Adds the member `plan` with the query plan.', boolean),
      deadline,
      ofHeader(
        'Svc-Diagnostics',
        'Adds `_svc.diagnostics` to the response, also to a problem: the work of the program and its duration ([monitoring.md](monitoring.md)). The server grants levels up to its `--diagnostics`.',
        { type: 'string', enum: ['summary', 'detailed', 'full'] },
      ),
    ],
    body: { type: jsonType, definition: 'Program' },
    answers: { 200: { description: 'The result of the program.', body: 'ProgramResult' } },
    examples: [
      {
        body: {
          statements: [
            {
              kind: 'create',
              name: 'new',
              table: 'people',
              relation: {
                nodes: {
                  r: {
                    kind: 'rows',
                    scope: 'r',
                    columns: [{ name: 'email', type: 'text' }],
                    rows: [['ada@example.org']],
                  },
                },
                root: { node: 'r', cardinality: 'many' },
              },
            },
          ],
        },
        answer: {
          result: [{ id: 1, email: 'ada@example.org', alias: null }],
          statements: [{ name: 'new', affected: 1, control: null }],
        },
      },
    ],
  },
  {
    method: 'QUERY',
    path,
    id: 'query',
    needs: scope('read'),
    tag: 'Conditional queries',
    summary: 'Runs one query, unless its result is unchanged',
    description:
      'The body is one relation. The response contains a weak entity tag. If the client sends the tag in `If-None-Match` and nothing that the query reads has changed, the server returns 304 without executing the query.',
    parameters: [
      ofHeader('If-None-Match', 'Entity tags of earlier responses, or `*`.', { type: 'string' }),
      ofHeader('Accept', 'Must allow `application/json`.', { type: 'string' }),
      deadline,
    ],
    body: { type: queryType, definition: 'Query' },
    answers: {
      200: {
        description: 'The result, in the shape that the root of the query defines.',
        body: 'QueryResult',
        headers: ['ETag', ...everyAnswer],
      },
      304: {
        description: 'The result has one of the tags in `If-None-Match`.',
        headers: ['ETag', ...everyAnswer],
      },
      406: { description: '`Accept` excludes the result.', body: 'Problem', headers: everyAnswer },
    },
    examples: [
      {
        body: {
          nodes: {
            p: { kind: 'scan', table: 'people', scope: 'p' },
            o: {
              kind: 'order',
              input: 'p',
              terms: [{ expr: { kind: 'col', scope: 'p', column: 'id' } }],
            },
          },
          root: { node: 'o', cardinality: 'many' },
        },
        answer: [{ id: 1, email: 'ada@example.org', alias: null }],
      },
    ],
  },
  {
    method: 'OPTIONS',
    path,
    id: 'executeOptions',
    needs: 'nothing',
    tag: 'Conditional queries',
    summary: 'Lists the methods of /execute',
    description: 'The headers contain the methods and the media type of a query.',
    answers: {
      204: { description: 'The headers contain the methods.', headers: ['Allow', ...everyAnswer] },
    },
  },
];
