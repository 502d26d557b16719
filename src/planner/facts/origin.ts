/** Where the values of a column come from: a column of a table, passed on unchanged. */

import type { Table } from '#catalog';
import type { BoundExpression, BoundRelation } from '../bind/bound.ts';
import { idRangeOf, isWithin } from './id-range.ts';

export interface Origin {
  readonly table: Table;
  /** Schema id of the column. */
  readonly column: number;
}

/** Of an expression over `relation`; undefined where it is computed, or comes from elsewhere. */
export function originOf(expression: BoundExpression, relation: BoundRelation): Origin | undefined {
  let part = expression;
  let at = relation;
  while (part.kind === 'column') {
    const { id } = part;
    const place = at.columns.findIndex((column) => column.id === id);
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
        at = isWithin(id, idRangeOf(at.left)) && hasColumn(at.left, id) ? at.left : at.right;
        break;
      default:
        return undefined;
    }
    if (place < 0) return undefined;
  }
  return undefined;
}

function hasColumn({ columns }: BoundRelation, id: number): boolean {
  return columns.some((column) => column.id === id);
}
