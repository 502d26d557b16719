/** Operations on the committed schema: read it, compare it with a schema file, migrate it. */

import { jsonType, type Operation, scope, unrestrictedOr } from '../operation.ts';
import { deadline } from '../parameters.ts';

const tag = 'Schemas';
const file =
  'tables:\n  - id: 1\n    name: people\n    columns:\n      - { id: 1, name: id, type: int64, pk: true, default: increment() }\n      - { id: 2, name: email, type: text, unique: true }\n      - { id: 3, name: alias, type: text, nullable: true, index: true }\n';

function body(definition: string) {
  return { type: jsonType, definition };
}

export const schemaOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/schema',
    id: 'schema',
    needs: unrestrictedOr('read', 'schema'),
    tag,
    summary: 'Returns the committed schema',
    description:
      'The response also contains the version and the hash of the schema. For tokens with the scope `schema` it contains the row policies, as in a schema file, and their hash ([security.md](security.md#row-policies)).',
    answers: { 200: { description: 'The schema.', body: 'SchemaState' } },
  },
  {
    method: 'POST',
    path: '/schema/diff',
    id: 'diffSchema',
    needs: scope('schema'),
    tag,
    summary: 'Compares a schema file with the database',
    description:
      'Returns the changes that a migration from the committed schema and row policies to the file would make. Nothing is changed.',
    parameters: [deadline],
    body: body('SchemaRequest'),
    answers: { 200: { description: 'The difference.', body: 'SchemaDiffResult' } },
    examples: [
      {
        body: { schema: file },
        answer: {
          current_version: 5,
          current_hash: 'sha256:',
          current_policy_hash: 'sha256:',
          desired_hash: 'sha256:',
          changes: [
            {
              kind: 'start_index_build',
              summary: 'start index build people_alias_idx on people',
              table: 'people',
            },
          ],
          program: {},
          destructive: [],
          blocking: [],
        },
        varying: ['current_hash', 'current_policy_hash', 'desired_hash', 'program'],
      },
    ],
  },
  {
    method: 'POST',
    path: '/schema/migrate',
    id: 'migrateSchema',
    needs: scope('schema'),
    tag,
    summary: 'Migrates the database to a schema file',
    description: `Send \`schema\`, and \`current_version\` and \`current_hash\` of the response of \`/schema/diff\`. \`database_id\` of \`/info\` ensures that the database is the same.
\`accept_data_loss\` accepts all losses in \`destructive\`. With \`accepted_losses\` (a list of \`kind\`, \`table\`, \`column\`), it accepts only the listed losses: rows inserted since the comparison may have added others.
It is safe to send the request again. The response contains \`state\`: \`ready\`, or \`converging\` with \`transition_ids\`. If the schema has changed since the comparison, the server returns 409: compare again. With \`current_policy_hash\` of the comparison, this also applies to row policies.
If the file changes row policies, the token needs the scope \`admin\`. A file without the section \`policies\` leaves them unchanged.`,
    parameters: [deadline],
    body: body('SchemaMigrateRequest'),
    answers: { 200: { description: 'The committed migration.', body: 'SchemaMigrateResult' } },
  },
  {
    method: 'POST',
    path: '/schema/compatibility',
    id: 'checkSchema',
    needs: 'token',
    tag,
    summary: 'Checks that a client matches the schema',
    description:
      'Returns 204 if `schema_version` and `schema_hash` are those of the database, otherwise a problem with the reason.',
    parameters: [deadline],
    body: body('SchemaCompatibilityRequest'),
    answers: { 204: { description: 'The version and the hash match.' } },
    examples: [
      {
        body: { schema_version: 4, schema_hash: 'sha256:0' },
        status: 422,
        answer: {
          type: 'urn:svc:problem:invalid',
          title: 'Invalid Request',
          status: 422,
          code: 'invalid',
          reason: 'schema_client_outdated',
          stage: 'schema',
          detail: '…',
        },
        varying: ['detail'],
      },
    ],
  },
];
