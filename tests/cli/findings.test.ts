/** What stands in the way of a migration is said once: in the difference, and the error below it says only what it comes to. */

import { expect, test } from 'bun:test';
import { emptyCatalog, schemaHash } from '#catalog';
import { answering, projectAt, runWithin, type ShellOptions, shellFor } from './within.ts';

const hash = schemaHash(emptyCatalog);
const loss = { kind: 'delete_column', summary: 's', table: 'users', column: 'bio', rows: 12 };
const block = { kind: 'create_index', summary: 'two rows are alike' };

async function migrate(findings: object, options: ShellOptions = {}) {
  using server = answering({
    'GET /info': { database_id: 'd1', access: 'write', mode: 'schema' },
    'GET /schema': { schema_version: 0, schema_hash: hash, schema: { tables: [] } },
    'POST /schema/diff': {
      current_hash: hash,
      changes: [{ kind: 'create_table', summary: 'create table users' }],
      destructive: [],
      blocking: [],
      ...findings,
    },
  });
  const { shell, said } = shellFor(options);
  const argv = ['schema', 'migrate', '--config', projectAt(server.url, 'tables: []\n')];
  const { trouble } = await runWithin(shell, argv);
  return { text: [...said, trouble?.message].join('\n'), message: trouble?.message };
}

const times = (text: string, part: string) => text.split(part).length - 1;

test('what blocks it', async () => {
  const { text } = await migrate({ blocking: [block] });
  expect(times(text, 'two rows are alike')).toBe(1);
  expect(text).toEndWith('\nthe migration cannot be applied to the rows as they are');
});

test('what it loses', async () => {
  const { text } = await migrate({ destructive: [loss] });
  expect(times(text, 'column users.bio will be deleted')).toBe(1);
  expect(text).toEndWith('\nthe data loss above needs consent');
});

test('programs, which see no difference above it, get it in the error', async () => {
  const blocked = await migrate({ blocking: [block] }, { mode: 'json' });
  expect(blocked.message).toBe('two rows are alike');
  const lossy = await migrate({ destructive: [loss] }, { mode: 'json' });
  expect(lossy.message).toContain('column users.bio will be deleted');
});
