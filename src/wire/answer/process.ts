/** Definitions of the responses about the process and its database (docs/http.md). */

import { Type } from '@sinclair/typebox';
import { closed, int64, list, name, oneOf, optional } from '../schema/shapes.ts';

const access = oneOf('`write` for a writer, `read` for a read-only reader.', ['read', 'write']);
const mode = oneOf(
  'How the catalog changes: by single requests (`direct`) or by a schema file (`schema`).',
  ['direct', 'schema'],
);

export const processDefinitions = {
  Welcome: closed('An overview of the service for a reader who opens its address.', {
    name: name('The name of the service.'),
    version: name('The version of the executable.'),
    about: name('A description of the service.'),
    try: Type.Record(Type.String(), Type.String(), { description: 'Example requests.' }),
    documentation: name('Where to find the documentation.'),
    routes: list('Methods and path of each route.', Type.String()),
  }),
  Health: closed('The process is serving requests.', {
    status: Type.Literal('ok', { description: 'Always `ok`.' }),
    access,
    mode,
  }),
  ProbeStatus: closed('The result of a probe.', {
    reason: oneOf('The state of the process behind the status.', [
      'live',
      'serving',
      'started',
      'starting',
      'draining',
      'task_failed',
      'fenced',
      'authentication_required',
      'storage_unavailable',
      'storage_stale',
      'storage_bucket_missing',
      'storage_unauthorized',
      'storage_unreachable',
    ]),
  }),
  DatabaseInfo: closed('The database.', {
    access,
    database_id: name('The random id of the database, assigned when it is created.'),
    mode,
    schema_version: int64(
      'Version of the schema: incremented with each committed schema, 0 for a new database.',
      {
        minimum: 0,
      },
    ),
    schema_hash: name('SHA-256 of the canonical schema.'),
    schema_version_at: optional(
      Type.String({
        description: 'When that version was committed; absent at version 0.',
        format: 'date-time',
      }),
    ),
    location: optional(
      name(
        'The storage location of the database; absent if the access token is not that of an administrator.',
      ),
    ),
  }),
};
