/** Rows of tables, and the rows of others that belong to them. */

import type { RelationInfo } from '../table-info.ts';
import { membersOf, type Out, type Rel } from './columns.ts';
import { and, columnEx } from './expression.ts';
import type { Ex } from './parts.ts';
import { equalities, Q, scanOf } from './query.ts';
import { at, type Column, type Row, type Schema, type TableShape } from './table.ts';

export function tableRel(
  node: string,
  schema: Schema,
  table: TableShape,
  scope: string,
  owner: number,
): Rel {
  // Of this document alone: a column that was kept from another one is not taken for one of these rows.
  const out = table.columns.map(({ name, member, code, nullable, read }): Out => {
    const ex = columnEx([scope, name, owner], code, nullable);
    return { name, member, ex, read, isScalar: true };
  });
  const own = (columns: readonly Column[]) =>
    columns.map((column) => (out[table.columns.indexOf(column)] as Out).ex);
  const key = own(table.keys[0] as readonly Column[]);
  return { node, args: [membersOf(out), relationsOf(schema, table, own)], out, key };
}

type OwnColumns = (columns: readonly Column[]) => readonly Ex[];

/** Queries for the rows that belong to this row, each made when it is asked for. */
function relationsOf(schema: Schema, table: TableShape, own: OwnColumns): Record<string, Q> {
  let all = relations.get(table);
  if (all === undefined) {
    all = {};
    for (const info of table.info[3]) {
      const get = function (this: Belonging) {
        return relatedRows(schema, table, info, this[ownColumns]);
      };
      Object.defineProperty(all, info[0], { get, enumerable: true });
    }
    relations.set(table, all);
  }
  const found = Object.create(all);
  found[ownColumns] = own;
  return found;
}

/** Getters by table: what a row brings of its own are its columns. */
const relations = new WeakMap<TableShape, object>();
const ownColumns = Symbol();

interface Belonging {
  readonly [ownColumns]: OwnColumns;
}

function relatedRows(
  schema: Schema,
  table: TableShape,
  [, to, mine, theirs, kind, through]: RelationInfo,
  own: OwnColumns,
): Q {
  const target = schema[to] as TableShape;
  const rows = scanOf(schema, target);
  const pairs = (there: Row, columns: readonly Column[], values: readonly Ex[]) =>
    equalities(columns.map((one, i) => [there[one.member] as Ex, values[i]] as const));
  const mineNow = own(at(table.columns, mine));
  if (through === undefined) {
    const predicate = (there: Row) => pairs(there, at(target.columns, theirs), mineNow);
    const more = { card: kind, isSingle: kind !== 'many' };
    return new Q({ kind: 'where', input: rows, predicate }, more);
  }
  const [between, toUs, toThem] = through;
  const middle = schema[between] as TableShape;
  const links = scanOf(schema, middle);
  return rows.where((there) => {
    const theirKey = at(target.columns, theirs).map((one) => there[one.member] as Ex);
    return links
      .where((link) =>
        and([
          pairs(link, at(middle.columns, toUs), mineNow),
          pairs(link, at(middle.columns, toThem), theirKey),
        ]),
      )
      .exists();
  });
}
