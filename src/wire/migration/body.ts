/** The schema endpoints (docs/http.md): what is sent and what is answered. */

import { type Static, Type } from '@sinclair/typebox';
import type { TableInfoBody } from '../catalog/body.ts';
import { closed, int64, list, name, oneOf, optional, ref } from '../schema/shapes.ts';

const source = Type.String({ description: 'The whole text of `svc.schema.yaml`.' });
const version = (description: string) => int64(description);
const hash = (description: string) => Type.String({ description });

const SchemaRequest = closed('A desired schema.', { schema: source });

const SchemaLoss = closed('A loss, as `destructive` of the difference names it.', {
  kind: name('What would be lost, as a stable token.'),
  table: optional(name('The table.')),
  column: optional(name('The column.')),
});

const SchemaMigrateRequest = closed('A desired schema, and the one it was compared with.', {
  schema: source,
  current_version: version('The version of the schema that the difference was made from.'),
  current_hash: hash('The hash of that schema.'),
  accept_data_loss: optional(
    Type.Boolean({ description: 'Whether rows and values may be lost; false if absent.' }),
  ),
  accepted_losses: optional(
    list(
      'With `accept_data_loss`: the losses that may be; another one, of rows that have come since, is refused. All if absent.',
      ref<Static<typeof SchemaLoss>>('SchemaLoss'),
    ),
  ),
  database_id: optional(
    name('The database that the difference was made with, as GET /info names it; any if absent.'),
  ),
});

const SchemaCompatibilityRequest = closed('The schema that a client was generated from.', {
  schema_version: version('Its version.'),
  schema_hash: hash('Its hash.'),
});

const SchemaChange = closed('One difference between two schemas.', {
  kind: name('What is done, as a stable token.'),
  summary: name('What is done, in words.'),
  table: optional(name('The table.')),
  column: optional(name('The column.')),
});

const SchemaFinding = closed('What the rows of a table mean for a migration.', {
  kind: name('What was found, as a stable token.'),
  summary: name('What was found, in words.'),
  table: optional(name('The table.')),
  column: optional(name('The column.')),
  rows: optional(int64('How many rows; from 1,000,000 on at least so many.')),
});

const SchemaDocument = closed('A schema.', {
  tables: list('The tables, by id.', ref<TableInfoBody>('TableDef')),
});

const changes = list(
  'The whole difference, in order.',
  ref<Static<typeof SchemaChange>>('SchemaChange'),
);

export const migrationDefinitions = {
  SchemaRequest,
  SchemaLoss,
  SchemaMigrateRequest,
  SchemaCompatibilityRequest,
  SchemaChange,
  SchemaFinding,
  SchemaDocument,
  SchemaState: closed('The committed schema.', {
    schema_version: version('Its version.'),
    schema_hash: hash('Its hash.'),
    schema: ref<Static<typeof SchemaDocument>>('SchemaDocument'),
  }),
  SchemaDiffResult: closed('What a migration would do now.', {
    current_version: version('The version of the committed schema.'),
    current_hash: hash('The hash of the committed schema.'),
    desired_hash: hash('The hash of the desired schema.'),
    changes,
    program: Type.Unknown({ description: 'A PIR program: the work that is needed now.' }),
    destructive: list('What would be lost.', ref<Static<typeof SchemaFinding>>('SchemaFinding')),
    blocking: list(
      'What makes the migration impossible for the rows as they are.',
      ref<Static<typeof SchemaFinding>>('SchemaFinding'),
    ),
  }),
  SchemaMigrateResult: closed('What a migration did.', {
    schema_version: version('The version of the schema that is committed now.'),
    schema_hash: hash('Its hash.'),
    schema: ref<Static<typeof SchemaDocument>>('SchemaDocument'),
    changes,
    desired_hash: hash('The hash of the desired schema.'),
    state: oneOf('`converging` while online work goes on.', ['ready', 'converging']),
    transition_ids: list('The online work, started now or before.', name('An id.')),
  }),
};

export type SchemaRequestBody = Static<typeof SchemaRequest>;
export type SchemaMigrateBody = Static<typeof SchemaMigrateRequest>;
export type SchemaCompatibilityBody = Static<typeof SchemaCompatibilityRequest>;
