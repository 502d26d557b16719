/** The pages about the schema file and about migrations: their files are read, and what they show is what comes out. */

import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaHash } from '#catalog';
import { diagnosticExcerpt, parseSchema, renderSchema } from '#schema';
import { openTestDatabase } from '../support/database.ts';

interface Block {
  readonly info: string;
  readonly text: string;
  readonly line: number;
}

function blocksOf(page: string): readonly Block[] {
  const text = readFileSync(join(import.meta.dir, '..', '..', 'docs', page), 'utf8');
  return [...text.matchAll(/^```([^\n]+)\n(.*?)^```$/gms)].map(
    ([, info = '', body = ''], i, all) => ({
      info,
      text: body,
      line: text.slice(0, all[i]?.index).split('\n').length,
    }),
  );
}

function schemaOf(text: string) {
  const parsed = parseSchema(text, 'svc.schema.yaml');
  if (parsed.kind === 'broken') throw new Error(parsed.errors[0]?.message);
  return parsed;
}

describe('schema.md', () => {
  const blocks = blocksOf('schema.md');
  const kinds = blocks.map(({ info }) => info);
  test('has examples of every kind', () => {
    expect([...new Set(kinds)].sort()).toEqual([
      'text',
      'yaml',
      'yaml broken',
      'yaml file',
      'yaml same',
    ]);
  });

  blocks.forEach(({ info, text, line }, i) => {
    test(`the block at line ${line}`, () => {
      if (info === 'yaml file') {
        expect(schemaOf(text).warnings).toEqual([]);
      } else if (info === 'yaml same') {
        const before = schemaOf(blocks[i - 1]?.text ?? '').catalog;
        expect(schemaHash(schemaOf(text).catalog)).toBe(schemaHash(before));
        expect(renderSchema(before)).toBe(text);
      } else if (info === 'yaml broken') {
        const parsed = parseSchema(text, 'svc.schema.yaml');
        const errors = parsed.kind === 'broken' ? parsed.errors : [];
        const shown = errors
          .map((error) => `${diagnosticExcerpt(parsed.source, error)}\n`)
          .join('');
        expect(shown).toBe(blocks[i + 1]?.text ?? '');
      } else expect(['yaml', 'text']).toContain(info);
    });
  });
});

test('the difference of migrations.md', async () => {
  const blocks = blocksOf('migrations.md');
  const block = (info: string) => blocks.find((one) => one.info === info)?.text ?? '';
  await using db = await openTestDatabase('schema');
  const { json } = await db.send('GET', '/schema');
  const state = json as { schema_version: number; schema_hash: string };
  const first = await db.send('POST', '/schema/migrate', {
    schema: block('yaml before'),
    current_version: state.schema_version,
    current_hash: state.schema_hash,
  });
  expect(first.status).toBe(200);
  const diff = await db.send('POST', '/schema/diff', { schema: block('yaml after') });
  expect(diff.json).toMatchObject(JSON.parse(block('json diff')) as object);
});

test('the NOT NULL column of migrations.md', async () => {
  const blocks = blocksOf('migrations.md');
  const block = (info: string) => blocks.find((one) => one.info === info)?.text ?? '';
  await using db = await openTestDatabase('schema');
  const migrate = async (schema: string) => {
    const { json } = await db.send('POST', '/schema/diff', { schema });
    const diff = json as {
      current_version: number;
      current_hash: string;
      changes: readonly { readonly summary: string }[];
    };
    const { current_version, current_hash } = diff;
    const body = { schema, current_version, current_hash };
    const { status } = await db.send('POST', '/schema/migrate', body);
    return { status, changes: diff.changes.map(({ summary }) => summary) };
  };
  await migrate(block('yaml nullable').replace(/.*active.*\n/, ''));
  const columns = [{ name: 'id', type: 'int64' }];
  const relation = {
    nodes: { r: { kind: 'rows', scope: 'r', columns, rows: [['1'], ['2']] } },
    root: { node: 'r', cardinality: 'many' },
  };
  const statements = [{ kind: 'create', name: 'c', table: 'users', relation }];
  expect((await db.send('POST', '/execute', { statements })).status).toBe(200);
  expect(await migrate(block('yaml nullable'))).toMatchObject({ status: 200 });
  const required = block('yaml nullable').replace(', nullable: true', '');
  expect((await migrate(required)).status).toBe(422);
  const filled = await db.send('POST', '/execute', JSON.parse(block('json fill')));
  expect(filled.json).toMatchObject({ statements: [{ name: 'filled', affected: 2 }] });
  const { status, changes } = await migrate(required);
  expect(status).toBeOneOf([200, 202]);
  expect(changes).toEqual(['validate not-null users.active']);
});

test('the program of migrations.md that lists duplicates', async () => {
  const [block, ...others] = blocksOf('migrations.md').filter(({ info }) => info === 'json');
  expect(others).toEqual([]);
  await using db = await openTestDatabase();
  const columns = ['id', 'email'].map((name) => ({ name, type: name === 'id' ? 'int64' : 'text' }));
  await db.send('POST', '/tables', { name: 'people', columns, primary_key: ['id'] });
  const emails = ['b@x', 'a@x', 'b@x', 'c@x', 'a@x', 'a@x'];
  const rows = emails.map((email, i) => [`${i}`, email]);
  const relation = {
    nodes: { r: { kind: 'rows', scope: 'r', columns, rows } },
    root: { node: 'r', cardinality: 'many' },
  };
  const statements = [{ kind: 'create', name: 'c', table: 'people', relation }];
  expect((await db.send('POST', '/execute', { statements })).status).toBe(200);
  const { json } = await db.send('POST', '/execute', JSON.parse(block?.text ?? ''));
  expect(json).toMatchObject({
    result: [
      { email: 'a@x', rows: 3 },
      { email: 'b@x', rows: 2 },
    ],
  });
});
