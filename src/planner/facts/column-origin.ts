/** Traces a column to the table column from which its values come unchanged. */

import type { Table } from '#catalog';
import type { BoundExpression, BoundRelation } from '../bind/bound.ts';

export interface ColumnOrigin {
  readonly table: Table;
  /** Schema id of the column. */
  readonly column: number;
}

/** Returns the origin of an expression over `relation`; `undefined` if the value is computed or does not come from a table. */
export function originOf(
  expression: BoundExpression,
  relation: BoundRelation,
): ColumnOrigin | undefined {
  let part = expression;
  let at = relation;
  while (part.kind === 'column') {
    const { id } = part;
    const place = placeOf(at, id);
    switch (at.kind) {
      case 'scan': {
        const column = at.table.columns[place];
        return column && { table: at.table, column: column.id };
      }
      case 'project':
      case 'aggregate': {
        const made: BoundExpression | undefined = (at.kind === 'project' ? at.fields : at.groups)[
          place
        ];
        if (made === undefined) return undefined;
        part = made;
        at = at.input;
        break;
      }
      case 'filter':
      case 'order':
      case 'slice':
      case 'distinct':
        at = at.input;
        break;
      case 'join':
        at = placeOf(at.left, id) >= 0 ? at.left : at.right;
        break;
      default:
        return undefined;
    }
    if (place < 0) return undefined;
  }
  return undefined;
}

/**
 * Returns the expression below `relation` that has the values of a column in all of its rows. Returns `expression` itself if it is computed, or if
 * its values come from the padded side of a left join, a set operator or a finished result.
 */
export function sourceOf(expression: BoundExpression, relation: BoundRelation): BoundExpression {
  let part = expression;
  let at = relation;
  while (part.kind === 'column') {
    const place = placeOf(at, part.id);
    switch (at.kind) {
      case 'project':
      case 'aggregate': {
        const made: BoundExpression | undefined = (at.kind === 'project' ? at.fields : at.groups)[
          place
        ];
        if (made === undefined) return part;
        part = made;
        at = at.input;
        break;
      }
      case 'filter':
      case 'order':
      case 'slice':
      case 'distinct':
        at = at.input;
        break;
      case 'join':
        if (placeOf(at.left, part.id) >= 0) at = at.left;
        else if (at.join === 'inner') at = at.right;
        else return part;
        break;
      default:
        return part;
    }
  }
  return part;
}

/** Relations with at least this many columns have an id index, because their columns are looked up many times. */
const wide = 16;
const known = new WeakMap<BoundRelation['columns'], ReadonlyMap<number, number>>();

/** Returns the position of a column in the relation; -1 if the relation does not have it. */
export function placeOf({ columns }: BoundRelation, id: number): number {
  if (columns.length < wide) return columns.findIndex((column) => column.id === id);
  let places = known.get(columns);
  if (places === undefined) {
    places = new Map(columns.map((column, place) => [column.id, place]));
    known.set(columns, places);
  }
  return places.get(id) ?? -1;
}
