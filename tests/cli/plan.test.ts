/** What `svc schema migrate --dry-run` says of changes that look harmless one by one. */

import { expect, test } from 'bun:test';
import type { SchemaApi, SchemaDiff } from '#client';
import { plannedChanges, planText } from '../../src/cli/schema/migrate/plan.ts';
import { catalogOf } from '../catalog/support.ts';

const people = catalogOf({
  id: 1,
  name: 'people',
  columns: [
    { id: 1, name: 'id', type: 'int64', nullable: false },
    { id: 2, name: 'age', type: 'int64', nullable: false },
  ],
  primary_key: ['id'],
  indexes: [
    { name: 'by_age', columns: ['age'], unique: false },
    { name: 'one_age', columns: ['age'], unique: true },
    { name: 'gone', columns: ['age', 'id'], unique: true },
  ],
});
const change = (kind: string, summary: string) => ({ kind, summary, table: 'people' });

async function planOf(...changes: readonly ReturnType<typeof change>[]): Promise<string> {
  const api = { count: async () => 7 } as unknown as SchemaApi;
  return planText(await plannedChanges(api, { changes } as unknown as SchemaDiff, people, people));
}

test('an index that is built anew is missing meanwhile, and so is its rule', async () => {
  const plan = await planOf(
    change('delete_index', 'delete index by_age on people'),
    change('delete_index', 'delete index one_age on people'),
    change('delete_index', 'delete index gone on people'),
    change('start_index_build', 'start index build by_age on people'),
    change('start_index_build', 'start index build one_age on people'),
  );
  const lines = plan.split('\n');
  const gap =
    '   instant: no row is visited; one commit; queries cannot use it until it is built again';
  expect(lines[1]).toBe(gap);
  expect(lines[3]).toBe(
    `${gap}, and its values are not kept distinct until then: duplicates make the build fail`,
  );
  expect(lines[5]).toBe('   instant: no row is visited; one commit');
});

test('what is said of a change stands below it, from the tenth on as well', async () => {
  const plan = await planOf(
    ...Array.from({ length: 10 }, (_, i) => change('create_column', `create column c${i}`)),
  );
  expect(plan.split('\n').slice(-4)).toEqual([
    '9. create column c8',
    '   instant: no row is visited; one commit',
    '10. create column c9',
    '    instant: no row is visited; one commit',
  ]);
});
