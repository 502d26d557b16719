/** Rows of tables, and the rows of others that belong to them. */

import type { RelationInfo } from '../table-info.ts';
import { membersOf, type Out, type Rel } from './columns.ts';
import { and, Ex } from './expression.ts';
import { equalities, Q } from './query.ts';
import { at, type Column, type Row, type Schema, type TableShape } from './table.ts';

export function tableRel(node: string, schema: Schema, table: TableShape, scope: string): Rel {
  const column = ({ name, code, nullable }: Column) => new Ex('col', [scope, name], code, nullable);
  const out = table.columns.map((one): Out => {
    const { name, member, read } = one;
    return { name, member, ex: column(one), read, isScalar: true };
  });
  const key = (table.keys[0] as readonly Column[]).map(column);
  return { node, args: [membersOf(out), relationsOf(schema, table, column)], out, key };
}

/** Queries for the rows that belong to this row, each made when it is asked for. */
function relationsOf(
  schema: Schema,
  table: TableShape,
  own: (column: Column) => Ex,
): Record<string, Q> {
  let all = relations.get(table);
  if (all === undefined) {
    all = {};
    for (const info of table.info[3]) {
      const get = function (this: Belonging) {
        return relatedRows(schema, table, info, this[ownColumn]);
      };
      Object.defineProperty(all, info[0], { get, enumerable: true });
    }
    relations.set(table, all);
  }
  const found = Object.create(all);
  found[ownColumn] = own;
  return found;
}

/** Getters by table: what a row brings of its own are its columns. */
const relations = new WeakMap<TableShape, object>();
const ownColumn = Symbol();

interface Belonging {
  readonly [ownColumn]: (column: Column) => Ex;
}

function relatedRows(
  schema: Schema,
  table: TableShape,
  [, to, mine, theirs, kind, through]: RelationInfo,
  own: (column: Column) => Ex,
): Q {
  const target = schema[to] as TableShape;
  const rows = new Q('scan', [], { schema, table: target });
  const pairs = (there: Row, columns: readonly Column[], values: readonly Ex[]) =>
    equalities(columns.map((one, i) => [there[one.member] as Ex, values[i]] as const));
  const mineNow = at(table.columns, mine).map(own);
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
