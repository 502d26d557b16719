/** A difference in words: what is added, what goes and what it takes along, what stands in the way; and its exit codes. */

import { describe, expect, test } from 'bun:test';
import { emptyCatalog, schemaHash } from '#catalog';
import { renderSchema } from '#schema';
import { catalogOf, users } from '../catalog/support.ts';
import { answering, projectAt, runWithin, shellFor } from './within.ts';

const one = catalogOf(users);
const change = { kind: 'create_table', summary: 'create table posts', table: 'posts' };

describe('diff', () => {
  async function diff(answer: object, ...flags: readonly string[]) {
    using server = answering({
      'GET /info': { database_id: 'd' },
      'GET /schema': {
        schema_version: 0,
        schema_hash: schemaHash(emptyCatalog),
        schema: { tables: [] },
      },
      'POST /schema/diff': answer,
    });
    const argv = ['schema', 'diff', '--config', projectAt(server.url, renderSchema(one))];
    return await runWithin(shellFor().shell, [...argv, ...flags]);
  }
  const nothing = {
    current_hash: schemaHash(emptyCatalog),
    changes: [],
    destructive: [],
    blocking: [],
  };
  const lossless = { ...nothing, changes: [change] };
  const blocked = {
    ...lossless,
    blocking: [{ kind: 'x', summary: 'column a contains NULL', rows: 2 }],
  };

  test.each([
    ['nothing to do', nothing, 0],
    ['changes', lossless, 3],
    ['changes that cannot be applied', blocked, 4],
  ])('%s', async (_, answer, exitCode) => {
    expect((await diff(answer)).exitCode).toBe(0);
    expect((await diff(answer, '--exit-code')).exitCode).toBe(exitCode);
  });

  test('in words', async () => {
    expect((await diff(nothing)).stdout).toBe('No schema changes.');
    const changes = [
      change,
      { kind: 'delete_column', summary: 'delete column users.age' },
      { kind: 'start_index_build', summary: 'start index build i on users' },
      { kind: 'rename_table', summary: 'rename table a -> b' },
    ];
    const destructive = [
      { kind: 'delete_table', summary: '', table: 'posts', rows: 1 },
      { kind: 'delete_column', summary: '', table: 'users', column: 'age', rows: 1 },
      { kind: 'delete_column', summary: '', table: 'users', column: 'bio', rows: 12_304 },
      { kind: 'replace_column', summary: 'some values change' },
    ];
    const blocking = [
      { kind: 'a', summary: 'column a contains NULL', rows: 2 },
      { kind: 'b', summary: '3 rows are twice there', rows: 3 },
      { kind: 'c', summary: 'never', rows: 0 },
    ];
    const answer = { ...nothing, changes, destructive, blocking };
    expect((await diff(answer)).stdout.split('\n')).toEqual([
      'Schema changes',
      '- create table posts',
      '- delete column users.age',
      '- start index build i on users (online)',
      '- rename table a -> b',
      '',
      'Data loss',
      '- table posts will be deleted with its 1 row',
      '- column users.age will be deleted: 1 row holds a value',
      '- column users.bio will be deleted: 12,304 rows hold a value',
      '- some values change',
      '',
      'Cannot apply',
      '- column a contains NULL (2 rows)',
      '- 3 rows are twice there',
      '- never',
    ]);
  });
});
