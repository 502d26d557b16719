/** `rows`: literal data, decoded by the declared columns (lir.md §1.5). Cells are decoded column by column. */

import type { Steps } from '#base';
import type { RowsColumn, RowsNode } from '#lir';
import { cellParserOf, type Datum, parseCell, type Row } from '#value';
import { duplicateName } from './columns.ts';
import { type BindContext, quoted } from './context.ts';
import { ownScope } from './label.ts';
import type { Bound } from './place.ts';
import { scalarType } from './types.ts';

export function* bindRows(context: BindContext, id: string, node: RowsNode): Steps<Bound> {
  context.checkWidth(node, id, node.columns.length);
  const repeated = duplicateName(node.columns);
  if (repeated !== undefined) {
    const detail = `duplicate column ${quoted(repeated)} in rows`;
    throw context.reject(node, 'projection_collision', detail, { node: id });
  }
  const rows = yield* decodeRows(context, id, node);
  const columns = node.columns.map(({ name, type, nullable = false }) =>
    context.column({ name, type: scalarType(type), nullable }),
  );
  const scopes = ownScope(context, { id, part: node }, node.scope, columns);
  const facts = { ordered: false, rowsMax: rows.length, key: undefined };
  return {
    relation: { kind: 'rows', node: id, columns, rows, source: node, ...facts },
    scopes,
    pins: undefined,
  };
}

function* decodeRows(
  context: BindContext,
  id: string,
  { columns, rows }: RowsNode,
): Steps<readonly Row[]> {
  const parsers = columns.map((column) => cellParserOf(column.type));
  const decoded: Row[] = [];
  for (const [at, cells] of rows.entries()) {
    const wait = context.around.pace.pause(columns.length);
    if (wait !== undefined) yield wait;
    const row = new Array<Datum>(columns.length);
    if (cells.length !== columns.length) {
      const detail = `row ${at} has ${cells.length} cells for ${columns.length} columns`;
      throw context.reject(cells, 'schema_violation', detail, { node: id });
    }
    for (let i = 0; i < row.length; i++) {
      const text = cells[i] as string | null;
      const value = text === null ? null : parsers[i]?.(text);
      if (value === undefined || (value === null && columns[i]?.nullable !== true)) {
        throw badCell(context, { id, cells, at, column: columns[i] as RowsColumn, text });
      }
      row[i] = value;
    }
    decoded.push(row);
  }
  return decoded;
}

interface BadCell {
  readonly id: string;
  readonly cells: readonly (string | null)[];
  readonly at: number;
  readonly column: RowsColumn;
  readonly text: string | null;
}

function badCell(context: BindContext, { id, cells, at, column, text }: BadCell): Error {
  const where = { node: id, role: `row ${at}, column ${column.name}` };
  if (text === null) {
    const detail = `row ${at} has NULL in column ${quoted(column.name)}, which is not nullable`;
    return context.reject(cells, 'type_mismatch', detail, where);
  }
  const problem = parseCell(column.type, text);
  const reason = problem.kind === 'problem' ? problem.reason : 'type_mismatch';
  const wanted = problem.kind === 'problem' ? problem.detail : `expected ${column.type}`;
  const detail = `row ${at}, column ${quoted(column.name)}: ${wanted}`;
  return context.reject(cells, reason, detail, where);
}
