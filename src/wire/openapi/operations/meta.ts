/** Routes that describe the server and report its state. */

import { type Operation, scope, unrestrictedOr } from '../operation.ts';

const tag = 'Server';

function probe(path: string, id: string, description: string, passing: string): Operation {
  return {
    method: 'GET',
    path,
    id,
    tag,
    needs: 'nothing',
    summary: `Checks that ${passing}`,
    description,
    answers: {
      200: { description: 'The condition holds.', body: 'ProbeStatus' },
      503: {
        description: 'The condition does not hold; `reason` contains the cause.',
        body: 'ProbeStatus',
      },
    },
  };
}

export const metaOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/',
    id: 'welcome',
    needs: 'token',
    tag,
    summary: 'Lists the routes',
    description: 'Start page for users who open the address of a server.',
    answers: { 200: { description: 'Names, version and routes.', body: 'Welcome' } },
  },
  {
    method: 'GET',
    path: '/openapi.json',
    id: 'describe',
    needs: 'token',
    tag,
    summary: 'Returns this description',
    description: 'The interface as OpenAPI 3.1: every route, header, problem and example.',
    answers: { 200: { description: 'An OpenAPI document.', body: 'OpenApiDocument' } },
  },
  {
    method: 'GET',
    path: '/llms.txt',
    id: 'instructions',
    needs: 'token',
    tag,
    summary: 'Returns a one-page guide to requests',
    description:
      'The guide is for agents and other programs. It contains the rules, and examples that a test runs ([agents.md](agents.md)).',
    answers: {
      200: { description: 'Markdown.', body: 'Text', type: 'text/plain; charset=utf-8' },
    },
  },
  {
    method: 'GET',
    path: '/healthz',
    id: 'health',
    needs: 'nothing',
    tag,
    summary: 'Reports that the process serves requests',
    description: 'Does not access the storage. Orchestrators use the probes instead.',
    answers: { 200: { description: 'The process serves requests.', body: 'Health' } },
    examples: [{ answer: { status: 'ok', access: 'write', mode: 'direct' } }],
  },
  {
    method: 'GET',
    path: '/metrics',
    id: 'metrics',
    needs: scope('metrics'),
    tag,
    summary: 'Returns all metrics',
    description:
      'The response has the text format of Prometheus ([metrics.md](metrics.md) lists the metrics). With `--metrics false` the server returns 404.',
    answers: {
      200: {
        description: 'All metrics.',
        body: 'Text',
        type: 'text/plain; version=0.0.4; charset=utf-8',
      },
      404: { description: 'The server has no metrics.', body: 'Problem' },
    },
  },
  {
    method: 'GET',
    path: '/statistics',
    id: 'statistics',
    needs: unrestrictedOr('read', 'admin'),
    tag,
    summary: 'Returns planner statistics',
    description:
      'The statistics are those that this process has collected, about executed programs and about tables ([statistics.md](statistics.md)). They never change a result. They contain values of rows: the most common, least and greatest ones.',
    answers: {
      200: { description: 'All statistics.', body: 'Statistics' },
      422: { description: 'The response would be larger than `--unsent-mib`.', body: 'Problem' },
    },
  },
  probe(
    '/livez',
    'live',
    'Succeeds while the process serves requests and all background tasks run, whatever the state of the storage. Works before the database is open.',
    'the process is alive',
  ),
  probe(
    '/readyz',
    'ready',
    'Succeeds while the process can serve the access that it was started with. It fails while the process starts or drains, when another writer has taken over, and when the storage fails or has not responded for 15 s. Does not access the storage.',
    'the process can serve requests',
  ),
  probe(
    '/startupz',
    'startup',
    'Fails until the database is open, and always succeeds from then on. Until then, `reason` contains the cause of the delay.',
    'the process has started',
  ),
  {
    method: 'GET',
    path: '/info',
    id: 'info',
    needs: 'token',
    tag,
    summary: 'Describes the database',
    description:
      '`database_id` is a random value from the creation of the database. `schema_version_at` is the time of the last schema change, and is absent before the first one.',
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
