/** What is there, and whether it runs. */

import type { Operation } from '../operation.ts';

const tag = 'What is there';

function probe(path: string, id: string, description: string, passing: string): Operation {
  return {
    method: 'GET',
    path,
    id,
    tag,
    summary: `Probe: ${passing}`,
    description,
    answers: {
      200: { description: 'The condition holds.', body: 'ProbeStatus' },
      503: { description: 'It does not; `reason` says why.', body: 'ProbeStatus' },
    },
  };
}

export const metaOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/',
    id: 'welcome',
    tag,
    summary: 'What there is to see',
    description: 'Lists the routes.',
    answers: { 200: { description: 'Names, version and routes.', body: 'Welcome' } },
  },
  {
    method: 'GET',
    path: '/openapi.json',
    id: 'describe',
    tag,
    summary: 'This description',
    description: 'The interface as OpenAPI 3.1: every route, header, problem and example.',
    answers: { 200: { description: 'An OpenAPI document.', body: 'OpenApiDocument' } },
  },
  {
    method: 'GET',
    path: '/llms.txt',
    id: 'instructions',
    tag,
    summary: 'How to write requests, on one page',
    description:
      'For agents and other programs: the rules, and examples that a test runs ([agents.md](agents.md)).',
    answers: {
      200: { description: 'Markdown.', body: 'Text', type: 'text/plain; charset=utf-8' },
    },
  },
  {
    method: 'GET',
    path: '/healthz',
    id: 'health',
    tag,
    summary: 'Whether the process serves',
    description: 'Touches no storage. Orchestrators ask the probes instead.',
    answers: { 200: { description: 'It serves.', body: 'Health' } },
    examples: [{ answer: { status: 'ok', access: 'write', mode: 'direct' } }],
  },
  {
    method: 'GET',
    path: '/metrics',
    id: 'metrics',
    tag,
    summary: 'What is measured',
    description:
      'In the text format of Prometheus ([metrics.md](metrics.md) lists them); 404 with `--metrics false`.',
    answers: {
      200: {
        description: 'All instruments.',
        body: 'Text',
        type: 'text/plain; version=0.0.4; charset=utf-8',
      },
      404: { description: 'Nothing is measured.', body: 'Problem' },
    },
  },
  {
    method: 'GET',
    path: '/statistics',
    id: 'statistics',
    tag,
    summary: 'What the planner knows',
    description:
      'Of programs that ran and of tables that were surveyed, as this process has gathered it ([statistics.md](statistics.md)). It never changes an answer, and contains values of rows: the most common, least and greatest ones.',
    answers: {
      200: { description: 'All that is known.', body: 'Statistics' },
      422: { description: 'That is more than `--unsent-mib`.', body: 'Problem' },
    },
  },
  probe(
    '/livez',
    'live',
    'Succeeds while the process serves and every task in the background lives; storage never fails it. Answered before the database is open.',
    'the process lives',
  ),
  probe(
    '/readyz',
    'ready',
    'Succeeds while the process can serve the access that it was started with: it fails while starting and draining, when another writer has taken over, and when storage fails or has not been seen for 15 s. Answered without touching storage.',
    'the process can serve',
  ),
  probe(
    '/startupz',
    'startup',
    'Succeeds once the database is open, and from then on; until then `reason` says what holds the start up.',
    'the process has started',
  ),
  {
    method: 'GET',
    path: '/info',
    id: 'info',
    tag,
    summary: 'The database',
    description:
      '`database_id` is drawn when the database is created; `schema_version_at`, the time of the last schema change, is there once there was one.',
    answers: { 200: { description: 'The database.', body: 'DatabaseInfo' } },
    examples: [
      {
        answer: {
          access: 'write',
          database_id: '5f0c1d7e9a3b4c628d1e0f2a4b6c8d0e',
          mode: 'direct',
          schema_version: 0,
          schema_hash: 'sha256:12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126',
          location: 'memory',
        },
        varying: ['database_id', 'schema_hash'],
      },
    ],
  },
];
