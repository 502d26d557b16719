/** The tables that a program depends on, found without going through the catalog for every statement. */

import { expect, test } from 'bun:test';
import { declareCatalog } from '#catalog';
import type { Statement } from '#pir';
import { planProgram } from '../../support/plans.ts';
import { full, project, query, scan } from '../support.ts';

/** A chain: each table references the one before it. */
const declared = declareCatalog(
  Array.from({ length: 50 }, (_, i) => ({
    id: i + 1,
    name: `t${i}`,
    columns: [
      { id: 1, name: 'id', type: 'int64' as const },
      { id: 2, name: 'other', type: 'int64' as const },
    ],
    primary_key: ['id'],
    foreign_keys:
      i === 0 || i > 20
        ? []
        : [{ name: 'k', columns: ['other'], ref_table: `t${i - 1}`, ref_columns: ['id'] }],
  })),
);

const deleteFrom = (table: string, i: number): Statement => {
  const relation = query({ s: scan(table, 's'), p: project('s', { id: 's.id' }) });
  return { kind: 'delete', name: `d${i}`, table, relation };
};

const planOver = (catalog: typeof declared, statements: readonly Statement[]) =>
  planProgram({ statements, result: 'd0' }, 'd0', catalog, full);

test('what a delete may be carried on to, and what those reference', () => {
  const touched = (table: string) =>
    [...planOver(declared, [deleteFrom(table, 0)]).tables].sort((a, b) => a - b);
  expect(touched('t18')).toEqual([18, 19, 20, 21]);
  expect(touched('t0')).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
  expect(touched('t40')).toEqual([41]);
});

test('the keys of a catalog are looked through once for all statements', () => {
  let walks = 0;
  const tables = new Proxy(declared.tables, {
    get(target, name, receiver) {
      if (name === Symbol.iterator) walks++;
      return Reflect.get(target, name, receiver);
    },
  });
  const statements = Array.from({ length: 100 }, (_, i) => deleteFrom('t40', i));
  planOver({ ...declared, tables }, statements);
  expect(walks).toBe(1);
});
