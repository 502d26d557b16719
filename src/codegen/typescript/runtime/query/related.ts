/** Rows of tables, and the rows of others that belong to them. */

import type { RelationInfo } from '../table-info.ts';
import { membersOf, type Out, type Rel } from './columns.ts';
import { and, Ex } from './expression.ts';
import { equalities, Q } from './query.ts';
import { at, type Column, type Row, type Schema, type TableShape } from './table.ts';

export function tableRel(node: string, schema: Schema, table: TableShape, scope: string): Rel {
  let scopes = rowsByScope.get(table);
  if (scopes === undefined) {
    scopes = new Map();
    rowsByScope.set(table, scopes);
  }
  let known = scopes.get(scope);
  if (known === undefined) {
    known = rowsIn(scope, schema, table);
    if (scopes.size < scopesMax) scopes.set(scope, known);
  }
  return { node, ...known };
}

/** By the scope: nearly all queries have the same few, and what a table's rows are in one is the same each time. */
const rowsByScope = new WeakMap<TableShape, Map<string, Omit<Rel, 'node'>>>();
const scopesMax = 32;

function rowsIn(scope: string, schema: Schema, table: TableShape): Omit<Rel, 'node'> {
  const out = table.columns.map(
    ({ name, member, code, nullable, read }): Out => ({
      ...{ name, member, read, isScalar: true },
      ex: new Ex('col', [scope, name, table.name], code, nullable),
    }),
  );
  const own = (columns: readonly Column[]) =>
    columns.map((column) => (out[table.columns.indexOf(column)] as Out).ex);
  const key = own(table.keys[0] as readonly Column[]);
  const args = [Object.freeze(membersOf(out)), Object.freeze(relationsOf(schema, table, own))];
  return { args, out, key };
}

type OwnColumns = (columns: readonly Column[]) => readonly Ex[];

/** Queries for the rows that belong to this row, each made when it is asked for. */
function relationsOf(schema: Schema, table: TableShape, own: OwnColumns): Record<string, Q> {
  const all: Record<string, Q> = {};
  for (const info of table.info[3]) {
    const get = () => relatedRows(schema, table, info, own);
    Object.defineProperty(all, info[0], { get, enumerable: true });
  }
  return all;
}

function relatedRows(
  schema: Schema,
  table: TableShape,
  [, to, mine, theirs, kind, through]: RelationInfo,
  own: OwnColumns,
): Q {
  const target = schema[to] as TableShape;
  const rows = new Q('scan', [], { schema, table: target });
  const pairs = (there: Row, columns: readonly Column[], values: readonly Ex[]) =>
    equalities(columns.map((one, i) => [there[one.member] as Ex, values[i]] as const));
  const mineNow = own(at(table.columns, mine));
  if (through === undefined) {
    const predicate = (there: Row) => pairs(there, at(target.columns, theirs), mineNow);
    return new Q('where', [rows], { predicate }, { card: kind, isSingle: kind !== 'many' });
  }
  const [between, toUs, toThem] = through;
  const middle = schema[between] as TableShape;
  const predicate = (there: Row) =>
    new Ex(
      'exists',
      [
        new Q('scan', [], { schema, table: middle }).where((link) =>
          and([
            pairs(link as Row, at(middle.columns, toUs), mineNow),
            pairs(
              link as Row,
              at(middle.columns, toThem),
              at(target.columns, theirs).map((one) => there[one.member] as Ex),
            ),
          ]),
        ),
      ],
      'b',
      false,
    );
  return new Q('where', [rows], { predicate });
}
