/** A UTF-8 byte order mark, as Windows editors write it, before every kind of file that a command reads. */

import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { schemaHash, toSchemaDocument } from '#catalog';
import { parseSchema } from '#schema';
import { readProgram } from '../../src/cli/explain/program-input.ts';
import { readManifest } from '../../src/cli/generate/manifest.ts';
import { AcceptedSchemas } from '../../src/cli/project/accepted.ts';
import { readConfig } from '../../src/cli/project/config.ts';
import { PendingMigrations } from '../../src/cli/project/pending.ts';
import { RecordedDatabases } from '../../src/cli/project/recorded-databases.ts';
import { StateDirectory } from '../../src/cli/project/state-directory.ts';
import { readSeedDocument } from '../../src/cli/seed/seed-document.ts';
import { emptySchema, starterSchema } from '../../src/cli/starter-schema.ts';
import { answering, newDirectory, projectAt, runWithin, shellFor } from './within.ts';

const mark = '\ufeff';

function fileOf(text: string, name = 'file'): string {
  const path = join(newDirectory(), name);
  writeFileSync(path, mark + text);
  return path;
}

function addMark(path: string): void {
  writeFileSync(path, mark + readFileSync(path, 'utf8'));
}

function catalogIn(text: string) {
  const parsed = parseSchema(text, 'svc.schema.yaml');
  if (parsed.kind === 'broken') throw new Error('no schema');
  return parsed.catalog;
}

const users = (more = '') => `tables:
  # who writes
  - id: 1
    name: users
    columns:
      - { id: 1, name: id, type: int64, pk: true }
${more}`;
const city = '      - { id: 2, name: city, type: text, nullable: true }\n';

test('a program and a query for svc explain', async () => {
  const program = '{"statements":[{"name":"q","kind":"query"}]}';
  expect((await readProgram(fileOf(program))).text).toBe(program);
  const query = await readProgram(fileOf('{"nodes":{},"root":{}}'));
  expect(JSON.parse(query.text).statements[0].relation).toEqual({ nodes: {}, root: {} });
});

test('the configuration and a seed', () => {
  expect(readConfig(fileOf('database_url: svc://db\n')).databaseUrl).toBe('svc://db');
  const { tables } = readSeedDocument(fileOf('{"users": [{"id": 1}]}', 'seed.json'), 'seed.json');
  expect(tables.map(({ name, rows }) => [name, rows.length])).toEqual([['users', 1]]);
});

test('the list of generated files', () => {
  const path = fileOf(
    '{"format_version":1,"generator":"svc","files":["a.ts"]}',
    '.svc-codegen-typescript.json',
  );
  expect(readManifest(dirname(path), 'src/db', 'typescript')).toEqual(['a.ts']);
});

test('the state of a project', () => {
  const state = new StateDirectory(dirname(projectAt('svc://db')));
  const [from, to] = [catalogIn(users()), catalogIn(users(city))];
  const pending = new PendingMigrations(state);
  pending.begin('d1', { fromVersion: 1, from, to });
  addMark(state.path('pending/d1.json'));
  expect(pending.of('d1')?.fromVersion).toBe(1);
  const met = new RecordedDatabases(state);
  met.add('d1', 'production');
  addMark(state.path('databases/d1.json'));
  expect(met.nameOf('d1')).toBe('production');
});

test('a schema file that is pulled into keeps its mark and its comments', async () => {
  const [before, there] = [catalogIn(users()), catalogIn(users(city))];
  using server = answering({
    'GET /info': { database_id: 'd1', access: 'write', mode: 'schema' },
    'GET /schema': {
      schema_version: 2,
      schema_hash: schemaHash(there),
      schema: toSchemaDocument(there),
    },
  });
  const pulledInto = async (text: string) => {
    const config = projectAt(server.url, mark + text);
    const state = new StateDirectory(dirname(config));
    mkdirSync(dirname(state.path('accepted')), { recursive: true });
    new AcceptedSchemas(state).add({ version: 1, hash: schemaHash(before), catalog: before });
    const { trouble } = await runWithin(shellFor().shell, ['schema', 'pull', '--config', config]);
    expect(trouble).toBeUndefined();
    return readFileSync(join(dirname(config), 'svc.schema.yaml'), 'utf8');
  };
  const edited = await pulledInto(users());
  expect(edited).toStartWith(`${mark}tables:\n  # who writes\n`);
  expect(edited).toContain('name: city');
  // The file of `svc init` holds no changes of anybody.
  for (const starter of [starterSchema, emptySchema]) {
    const taken = await pulledInto(starter);
    expect(schemaHash(catalogIn(taken))).toBe(schemaHash(there));
  }
});
