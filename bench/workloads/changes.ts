/** Changes of many rows in one program, drawn by time, so that they lie all over the table. */

import { aggregate, binary, filter, lit, programOf, project, relationOf, scan } from './lir.ts';
import type { Question } from './question.ts';
import { type ShopCounts, timeBound } from './tables.ts';

const part = timeBound / 10;

export function changesOf({ orders }: ShopCounts): readonly Question[] {
  return [
    {
      id: 'update',
      name: 'update of a fifth of the orders',
      change: { rows: orders / 5, check: totals },
      program: (turn) =>
        changing('update', {
          s: scan('orders', 'o'),
          f: filter('s', createdBefore(2 * part)),
          p: project('f', { id: 'o.id', total: lit('float64', 1_000.5 + turn) }),
        }),
      sql: (turn) => `update orders set total = ${1_000.5 + turn} where created_at < ${2 * part}`,
    },
    {
      id: 'delete',
      name: 'delete of a tenth of the orders',
      change: { rows: orders / 10, check: ids },
      // Each turn deletes the newest tenth of the first orders that is left.
      program: (turn) =>
        changing('delete', {
          s: scan('orders', 'o'),
          f: filter('s', binary('gte', 'o.created_at', lit('int64', (9 - turn) * part))),
          p: project('f', { id: 'o.id' }),
        }),
      sql: (turn) => `delete from orders where created_at >= ${(9 - turn) * part}`,
    },
  ];
}

/** A change without its rows in the response: the result is that of a second statement. */
function changing(kind: 'update' | 'delete', nodes: Record<string, object>): string {
  const columns = [{ name: 'done', type: 'int64' }];
  const done = { r: { kind: 'rows', scope: 'r', columns, rows: [['1']] } };
  return JSON.stringify({
    statements: [
      { kind, name: 'c', table: 'orders', relation: relationOf(nodes, 'many') },
      { kind: 'query', name: 'q', relation: relationOf(done, 'exactly_one') },
    ],
    result: 'q',
  });
}

const createdBefore = (time: number) => binary('lt', 'o.created_at', lit('int64', time));

const totals = checkOf('total');
const ids = checkOf('id');

function checkOf(column: string): Pick<Question, 'program' | 'sql'> {
  const aggregates = { n: ['count'], sum: ['sum', `o.${column}`] } as const;
  return {
    program: () =>
      programOf({ s: scan('orders', 'o'), n: aggregate('s', 'n', {}, aggregates) }, 'exactly_one'),
    sql: () => `select count(*) n, sum(${column}) sum from orders`,
  };
}
