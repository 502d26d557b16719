/** Definitions of the requests and responses of the schema endpoints (docs/http.md). */

import { type Static, Type } from '@sinclair/typebox';
import type { TableInfoBody } from '../catalog/body.ts';
import { closed, int64, list, name, oneOf, optional, ref } from '../schema/shapes.ts';

const source = Type.String({ description: 'The whole text of `svc.schema.yaml`.' });
const version = (description: string) => int64(description);
const hash = (description: string) => Type.String({ description });

const SchemaRequest = closed('A desired schema.', { schema: source });

const SchemaLoss = closed('A data loss, as listed in `destructive` of the difference.', {
  kind: name('The kind of loss, as a stable token.'),
  table: optional(name('The table.')),
  column: optional(name('The column.')),
});

const SchemaMigrateRequest = closed(
  'A desired schema, and the schema with which it was compared.',
  {
    schema: source,
    current_version: version('The version of the schema that the difference was made from.'),
    current_hash: hash('The hash of that schema.'),
    current_policy_hash: optional(
      hash(
        'The hash of the row policies that the difference was made from. The server refuses the migration with 409 if the policies have changed since; if absent, it does not check.',
      ),
    ),
    accept_data_loss: optional(
      Type.Boolean({
        description: 'True if the migration may lose rows and values; false if absent.',
      }),
    ),
    accepted_losses: optional(
      list(
        'With `accept_data_loss`: the accepted losses, all if absent. The server refuses any other loss, for example of rows inserted since the comparison.',
        ref<Static<typeof SchemaLoss>>('SchemaLoss'),
      ),
    ),
    database_id: optional(
      name('The `database_id` of the compared database, from GET /info; any database if absent.'),
    ),
  },
);

const SchemaCompatibilityRequest = closed('The schema that a client was generated from.', {
  schema_version: version('Its version.'),
  schema_hash: hash('Its hash.'),
});

const SchemaChange = closed('One difference between two schemas.', {
  kind: name('The kind of change, as a stable token.'),
  summary: name('The change, in words.'),
  table: optional(name('The table.')),
  column: optional(name('The column.')),
});

const SchemaFinding = closed('A consequence of the rows of a table for a migration.', {
  kind: name('The kind of finding, as a stable token.'),
  summary: name('The finding, in words.'),
  table: optional(name('The table.')),
  column: optional(name('The column.')),
  rows: optional(int64('Number of affected rows; 1,000,000 or more means at least this number.')),
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
    policies: optional(
      Type.Unknown({
        description:
          'The row policies, in the form of the section `policies` of a schema file; absent if there are none, and for tokens without the scope `schema`.',
      }),
    ),
    policy_hash: optional(
      hash('The hash of the row policies; absent for tokens without the scope `schema`.'),
    ),
  }),
  SchemaDiffResult: closed('The effect of a migration if it started now.', {
    current_version: version('The version of the committed schema.'),
    current_hash: hash('The hash of the committed schema.'),
    current_policy_hash: hash('The hash of the row policies.'),
    desired_hash: hash('The hash of the desired schema.'),
    changes,
    program: Type.Unknown({ description: 'A PIR program with the work that is required now.' }),
    destructive: list(
      'Data that would be lost.',
      ref<Static<typeof SchemaFinding>>('SchemaFinding'),
    ),
    blocking: list(
      'Findings in the current rows that make the migration impossible.',
      ref<Static<typeof SchemaFinding>>('SchemaFinding'),
    ),
  }),
  SchemaMigrateResult: closed('The effect of a migration.', {
    schema_version: version('The version of the committed schema after the migration.'),
    schema_hash: hash('Its hash.'),
    policy_hash: hash('The hash of the row policies after the migration.'),
    schema: ref<Static<typeof SchemaDocument>>('SchemaDocument'),
    changes,
    desired_hash: hash('The hash of the desired schema.'),
    state: oneOf('`converging` while online transitions are running.', ['ready', 'converging']),
    transition_ids: list(
      'Ids of the online transitions that lead to the desired schema, started by this migration or before.',
      name('An id.'),
    ),
  }),
};

export type SchemaRequestBody = Static<typeof SchemaRequest>;
export type SchemaMigrateBody = Static<typeof SchemaMigrateRequest>;
export type SchemaCompatibilityBody = Static<typeof SchemaCompatibilityRequest>;
