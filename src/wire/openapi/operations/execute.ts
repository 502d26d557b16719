/** Programs and conditional queries. */

import { jsonType, type Operation, queryType } from '../operation.ts';
import { deadline, ofHeader, ofQuery } from '../parameters.ts';

const path = '/execute';
const boolean = { type: 'boolean' };
const everyAnswer = ['Accept-Query', 'Cache-Control', 'Vary'];

export const executeOperations: readonly Operation[] = [
  {
    method: 'POST',
    path,
    id: 'execute',
    tag: 'Programs',
    summary: 'Run a program',
    description:
      'Statements in order, all or nothing ([pir.md](pir.md), [lir.md](lir.md)). `result` names the statement whose rows are answered: a program of several statements needs it.',
    parameters: [
      ofQuery('dry-run', 'Checks and plans, runs nothing.', boolean),
      ofQuery('show-plan', 'Adds `plan`, what was decided.', boolean),
      deadline,
      ofHeader(
        'Svc-Diagnostics',
        'Adds `_svc.diagnostics` to the answer, be it a problem: what the program did, and how long it took ([monitoring.md](monitoring.md)). The server grants levels up to its `--diagnostics`.',
        { type: 'string', enum: ['summary', 'detailed', 'full'] },
      ),
    ],
    body: { type: jsonType, definition: 'Program' },
    answers: { 200: { description: 'What the program did.', body: 'ProgramResult' } },
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
    tag: 'Conditional queries',
    summary: 'Run one query, unless its result is known',
    description:
      'The body is one relation. The answer carries a weak entity tag; sent back in `If-None-Match`, it brings 304 without executing for as long as nothing that the query reads has changed.',
    parameters: [
      ofHeader('If-None-Match', 'Tags of earlier answers, or `*`.', { type: 'string' }),
      ofHeader('Accept', 'Must allow `application/json`.', { type: 'string' }),
      deadline,
    ],
    body: { type: queryType, definition: 'Query' },
    answers: {
      200: {
        description: 'The result, shaped as the root of the query says.',
        body: 'QueryResult',
        headers: ['ETag', ...everyAnswer],
      },
      304: {
        description: 'The result is one of those whose tag was sent.',
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
    tag: 'Conditional queries',
    summary: 'What /execute takes',
    description: 'Names the methods, and the type of a query.',
    answers: { 204: { description: 'In the headers.', headers: ['Allow', ...everyAnswer] } },
  },
];
