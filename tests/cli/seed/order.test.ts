/** In which order rows are written and deleted, and how many programs that takes. */

import { expect, test } from 'bun:test';
import { parseSchema } from '#schema';
import { deletingStatements, programsOf } from '../../../src/cli/seed/seed-program.ts';
import { parentsFirst } from '../../../src/cli/seed/table-order.ts';

/** `a: b, c?` is a table a that refers to b, and to c by a column that may be NULL. */
function catalogOf(...lines: readonly string[]) {
  const tables = lines.map((line, i) => {
    const [name = '', refs = ''] = line.split(':');
    const columns = refs
      .split(',')
      .map((it) => it.trim())
      .filter((it) => it !== '')
      .map((ref, c) => {
        const to = ref.replace('?', '');
        const nullable = ref.endsWith('?') ? ', nullable: true' : '';
        return `      - { id: ${c + 2}, name: ${to}_id, type: int64${nullable}, index: true, ref: ${to}.id }\n`;
      });
    return `  - id: ${i + 1}\n    name: ${name}\n    columns:\n      - { id: 1, name: id, type: int64, pk: true }\n${columns.join('')}`;
  });
  const parsed = parseSchema(Buffer.from(`tables:\n${tables.join('')}`), 'test');
  if (parsed.kind === 'broken') throw new Error(parsed.errors[0]?.message);
  return parsed.catalog;
}

test('what is referred to comes first', () => {
  const { tables } = catalogOf('a: b', 'b: c, d', 'c:', 'd: c, d');
  const order = parentsFirst(tables);
  expect(order.kind === 'ordered' && order.tables.map(({ name }) => name)).toEqual([
    'c',
    'd',
    'b',
    'a',
  ]);
  expect(order).toMatchObject({ deferred: [] });
});

test('a circle opens where NULL is allowed, and nowhere else', () => {
  const { tables } = catalogOf('x: a', 'a: b', 'b: c?', 'c: a');
  const order = parentsFirst(tables);
  if (order.kind !== 'ordered') throw new Error('a circle');
  expect(order.tables.map(({ name }) => name)).toEqual(['b', 'a', 'x', 'c']);
  expect(order.deferred.map(({ key }) => key.name)).toEqual(['b_c_id_fk']);
});

test('a circle that takes no NULL is named', () => {
  const { tables } = catalogOf('x: a', 'a: b', 'b: c', 'c: a');
  expect(parentsFirst(tables)).toEqual({ kind: 'circle', names: ['a', 'b', 'c'] });
});

test('rows are deleted children first, and what may be NULL of a circle is before', () => {
  const statements = deletingStatements(catalogOf('a: b', 'b: a?', 'c: a'));
  expect(statements.map(({ kind, table }) => `${kind} ${table}`)).toEqual([
    'update b',
    'delete c',
    'delete a',
    'delete b',
  ]);
});

test('programs are as few as limits let them be, and keep the order', () => {
  const statements = ['x', 'y', 'z'].map((table) => ({ kind: 'create', table }));
  const names = (programs: readonly string[]) =>
    programs.map((text) => {
      const { statements, result } = JSON.parse(text) as {
        statements: { table?: string; name: string }[];
        result: string;
      };
      expect(result).toBe(statements.at(-1)?.name as string);
      return statements.slice(0, -1).map(({ table, name }) => `${name} ${table}`);
    });
  expect(names(programsOf(statements))).toEqual([['s1 x', 's2 y', 's3 z']]);
  expect(names(programsOf(statements, { count: 2 }))).toEqual([['s1 x', 's2 y'], ['s3 z']]);
  expect(names(programsOf(statements, { bytes: 1 }))).toEqual([['s1 x'], ['s2 y'], ['s3 z']]);
});
