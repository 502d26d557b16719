/** What stands in the way of a migration is said once: in the difference, and the error below it says only what it comes to. */

import { expect, test } from 'bun:test';
import { emptyCatalog, schemaHash } from '#catalog';
import type { WireDiffFinding } from '#client';
import { isAboutRows, remediesFor } from '../../src/cli/schema/remedies.ts';
import {
  answering,
  projectAt,
  runWithin,
  type ShellOptions,
  shellFor,
  transitionIn,
} from './within.ts';

test('only if rows are all that is in the way, the rows are named as the reason', () => {
  const finding = (kind: string) => ({ kind, summary: 's' }) as WireDiffFinding;
  const rows = [finding('create_index'), finding('validate_column')];
  const others = [
    finding('active_schema_transition_conflict'),
    finding('column_replacement_dependency'),
  ];
  const suggest = (command: string) => `svc ${command}`;
  expect(isAboutRows(rows)).toBe(true);
  expect(remediesFor(rows, suggest)).toHaveLength(1);
  expect(remediesFor(rows, suggest)[0]).toStartWith('correct the rows');
  for (const other of others) {
    expect(isAboutRows([other])).toBe(false);
    expect(isAboutRows([...rows, other])).toBe(false);
    expect(remediesFor([other], suggest)).toHaveLength(1);
    expect(remediesFor([other], suggest)[0]).not.toContain('rows');
    expect(remediesFor([...rows, other], suggest)).toHaveLength(2);
  }
  expect(remediesFor([...rows, ...others], suggest)).toHaveLength(3);
});

const hash = schemaHash(emptyCatalog);
const loss = { kind: 'delete_column', summary: 's', table: 'users', column: 'bio', rows: 12 };
const block = { kind: 'create_index', summary: 'two rows are alike' };

async function run(command: string, findings: object, options: ShellOptions = {}) {
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
    'GET /schema/transitions': { transitions: [transitionIn('building')] },
  });
  const { shell, said } = shellFor(options);
  const argv = ['schema', command, '--config', projectAt(server.url, 'tables: []\n')];
  const { trouble } = await runWithin(shell, argv);
  const { message, hint } = trouble ?? {};
  return { text: [...said, message].join('\n'), message, hint };
}

const migrate = (findings: object, options: ShellOptions = {}) => run('migrate', findings, options);

const times = (text: string, part: string) => text.split(part).length - 1;

test('what blocks it', async () => {
  const { text } = await migrate({ blocking: [block] });
  expect(times(text, 'two rows are alike')).toBe(1);
  expect(text).toEndWith('\nthe migration cannot be applied to the current rows');
});

test.each([
  ['unique_index_duplicates', 'to the current rows', 'correct the rows'],
  ['active_schema_transition_conflict', 'in the current state', 'svc schema transitions cancel'],
  ['column_replacement_dependency', 'in the current state', 'change the file'],
])('the way out of %s', async (kind, how, way) => {
  const blocking = [{ kind, summary: 'something stands in the way' }];
  const { message, hint } = await migrate({ blocking });
  expect(message).toBe(`the migration cannot be applied ${how}`);
  expect(hint?.split('\n')).toEqual(['nothing was changed', expect.stringContaining(way)]);
  expect((await run('check', { blocking })).hint).toContain(way);
});

test.each(['migrate', 'check'])(
  '%s tells of work that the file does not ask for',
  async (command) => {
    const told =
      'ix5 is being changed, but the schema file does not request that; cancel it with `svc schema transitions cancel tr1';
    expect((await run(command, { changes: [] })).text).toContain(told);
    // Where the two differ, it may be the work of this very file.
    expect((await run(command, {})).text).not.toContain(told);
  },
);

test('what it loses', async () => {
  const { text } = await migrate({ destructive: [loss] });
  expect(times(text, 'column users.bio will be deleted')).toBe(1);
  expect(text).toEndWith('\nthe data loss above requires confirmation');
});

test('programs, which see no difference above it, get it in the error', async () => {
  const blocked = await migrate({ blocking: [block] }, { mode: 'json' });
  expect(blocked.message).toBe('two rows are alike');
  const lossy = await migrate({ destructive: [loss] }, { mode: 'json' });
  expect(lossy.message).toContain('column users.bio will be deleted');
});
