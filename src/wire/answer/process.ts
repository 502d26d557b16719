/** What the service says of itself (docs/http.md). */

import { Type } from '@sinclair/typebox';
import { closed, int64, oneOf, optional } from '../schema/shapes.ts';

const access = oneOf('Whether this process owns the storage writer or reads checkpoints.', [
  'read',
  'write',
]);
const mode = oneOf('Who manages the catalog: its endpoints and programs, or a schema file.', [
  'direct',
  'schema',
]);

export const processDefinitions = {
  DatabaseInfo: closed('The database that this process serves.', {
    access,
    database_id: Type.String({
      description: 'Drawn when the database was created; no other database has the same.',
    }),
    mode,
    schema_version: int64('The version of the committed schema; 0 for a fresh database.', {
      minimum: 0,
    }),
    schema_hash: Type.String({ description: 'SHA-256 of the canonical committed schema.' }),
    schema_version_at: optional(
      Type.String({ description: 'When this version was committed.', format: 'date-time' }),
    ),
    location: optional(Type.String({ description: 'Where the database is stored.' })),
  }),
  Health: closed('The process serves requests.', {
    status: Type.Literal('ok', { description: 'The process serves requests.' }),
    access,
    mode,
  }),
  ProbeStatus: closed('The state behind the answer of a probe.', {
    reason: Type.String({
      description: 'A stable token that names the state. The HTTP status is the answer.',
    }),
  }),
};
