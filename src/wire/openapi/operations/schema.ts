/** The schema: what it is, what another one would change, and the way there. */

import { jsonType, type Operation } from '../operation.ts';
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
    tag,
    summary: 'The committed schema',
    description: 'With its version and its hash.',
    answers: { 200: { description: 'The schema.', body: 'SchemaState' } },
  },
  {
    method: 'POST',
    path: '/schema/diff',
    id: 'diffSchema',
    tag,
    summary: 'What a schema file would change',
    description: 'Compares a schema file with the committed schema and changes nothing.',
    parameters: [deadline],
    body: body('SchemaRequest'),
    answers: { 200: { description: 'The difference.', body: 'SchemaDiffResult' } },
    examples: [
      {
        body: { schema: file },
        answer: {
          current_version: 5,
          current_hash: 'sha256:',
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
        varying: ['current_hash', 'desired_hash', 'program'],
      },
    ],
  },
  {
    method: 'POST',
    path: '/schema/migrate',
    id: 'migrateSchema',
    tag,
    summary: 'Carry a schema file out',
    description: `\`schema\` and, from the difference, \`current_version\` and \`current_hash\`; \`database_id\` of \`/info\` makes sure that it is the same database; \`accept_data_loss\` agrees to \`destructive\`,
with \`accepted_losses\` beside it (a list of \`kind\`, \`table\`, \`column\`) to nothing but those: rows that have come since may have made it more.
Sending it again is safe. The answer has \`state\`: \`ready\`, or \`converging\` with \`transition_ids\`. When the schema has moved meanwhile the answer is 409: compare again.`,
    parameters: [deadline],
    body: body('SchemaMigrateRequest'),
    answers: { 200: { description: 'What was committed.', body: 'SchemaMigrateResult' } },
  },
  {
    method: 'POST',
    path: '/schema/compatibility',
    id: 'checkSchema',
    tag,
    summary: 'Whether a client fits',
    description:
      'Answers 204 when `schema_version` and `schema_hash` are those of the database, else why not.',
    parameters: [deadline],
    body: body('SchemaCompatibilityRequest'),
    answers: { 204: { description: 'They are the same.' } },
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
