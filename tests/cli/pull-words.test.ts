/** What `svc schema pull` says of ids: two people may have given the same one to different things. */

import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { schemaHash, toSchemaDocument } from '#catalog';
import { parseSchema } from '#schema';
import { AcceptedSchemas } from '../../src/cli/project/accepted.ts';
import { StateDirectory } from '../../src/cli/project/state-directory.ts';
import { answering, projectAt, runWithin, shellFor } from './within.ts';

const users = (more: string) => `tables:
  - id: 1
    name: users
    columns:
      - { id: 1, name: id, type: int64, pk: true }
${more}`;
const column = (name: string) => `      - { id: 2, name: ${name}, type: text, nullable: true }\n`;

function catalogIn(text: string) {
  const parsed = parseSchema(text, 'svc.schema.yaml');
  if (parsed.kind === 'broken') throw new Error('no schema');
  return parsed.catalog;
}

test('a column of the file that gets another id is named, with both', async () => {
  const [before, there] = [catalogIn(users('')), catalogIn(users(column('city')))];
  using server = answering({
    'GET /info': { database_id: 'd1', access: 'write', mode: 'schema' },
    'GET /schema': {
      schema_version: 2,
      schema_hash: schemaHash(there),
      schema: toSchemaDocument(there),
    },
  });
  const config = projectAt(server.url, users(column('nick')));
  const state = new StateDirectory(dirname(config));
  new AcceptedSchemas(state).add({ version: 1, hash: schemaHash(before), catalog: before });
  const { stdout } = await runWithin(shellFor().shell, ['schema', 'pull', '--config', config]);
  expect(stdout).toContain(
    '- create column users.city\n- column users.nick now has id 3, because 2 belongs to another column of the database\n',
  );
  const text = readFileSync(join(dirname(config), 'svc.schema.yaml'), 'utf8');
  expect(text).toContain('{ id: 3, name: nick');
});
