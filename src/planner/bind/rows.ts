/** Binds `rows`: literal data, decoded by the declared columns (docs/lir.md §6.1). */

import type { Steps } from '#base';
import type { RowsColumn, RowsNode } from '#lir';
import { CellReader, cellParserOf, type Datum, parseCell, type Row, TextRows } from '#value';
import type { BoundRows } from './bound.ts';
import { duplicateName } from './columns.ts';
import { quoted } from './context.ts';
import type { NodeSite } from './node-site.ts';
import type { BoundInScope } from './relation-context.ts';
import { scalarType } from './types.ts';

export function* bindRows(at: NodeSite, node: RowsNode): Steps<BoundInScope> {
  at.checkWidth(node.columns.length);
  const repeated = duplicateName(node.columns);
  if (repeated !== undefined) {
    const detail = `duplicate column ${quoted(repeated)} in rows`;
    throw at.reject('projection_collision', detail);
  }
  const { rows: cells } = node;
  const source = { at, columns: node.columns };
  const rows =
    cells instanceof TextRows ? yield* readRows(source, cells) : yield* decodeRows(source, cells);
  const columns = node.columns.map(({ name, type, nullable = false }) =>
    at.context.column({ name, type: scalarType(type), nullable }),
  );
  const scopes = at.ownScope(columns);
  const facts = { columns, ordered: false, rowsMax: rows.length, key: undefined };
  const relation: BoundRows = { kind: 'rows', node: at.id, rows, source: node, ...facts };
  return { relation, scopes, pins: undefined };
}

/** Number of rows that are read between two yields. */
const rowsAtOnce = 64;

interface Source {
  readonly at: NodeSite;
  readonly columns: RowsNode['columns'];
}

type Cells = readonly (string | null)[];

/** Reads rows from their serialized text. */
function* readRows(source: Source, rows: TextRows): Steps<readonly Row[]> {
  const { at: site, columns } = source;
  if (rows.width !== columns.length) throw wrongRow(source, rows.row(0), 0);
  const reader = new CellReader(rows, columns);
  const read: Row[] = [];
  while (read.length < rows.length) {
    const to = Math.min(rows.length, read.length + rowsAtOnce);
    const wait = site.context.around.pace.pause((to - read.length) * columns.length);
    if (wait !== undefined) yield wait;
    for (let at = read.length; at < to; at++) {
      const row = reader.read(at);
      if (row === undefined) throw wrongRow(source, rows.row(at), at);
      read.push(row);
    }
  }
  return read;
}

function* decodeRows(source: Source, rows: readonly Cells[]): Steps<readonly Row[]> {
  const { at: site, columns } = source;
  const parsers = columns.map((column) => cellParserOf(column.type));
  const decoded: Row[] = [];
  for (const [at, cells] of rows.entries()) {
    const wait = site.context.around.pace.pause(columns.length);
    if (wait !== undefined) yield wait;
    const row = new Array<Datum>(columns.length);
    if (cells.length !== columns.length) throw wrongRow(source, cells, at);
    for (let i = 0; i < row.length; i++) {
      const text = cells[i] as string | null;
      const value = text === null ? null : parsers[i]?.(text);
      if (value === undefined || (value === null && columns[i]?.nullable !== true)) {
        throw wrongRow(source, cells, at);
      }
      row[i] = value;
    }
    decoded.push(row);
  }
  return decoded;
}

/** Returns the error of the row at index `at`. The detail counts rows from 1, the pointer and the role from 0. */
function wrongRow({ at: site, columns }: Source, cells: Cells, at: number): Error {
  const beneath = `/rows/${at}`;
  const row = `row ${at + 1}`;
  if (cells.length !== columns.length) {
    const detail = `${row} has ${cells.length} cells for ${columns.length} columns`;
    return site.reject('schema_violation', detail, {}, beneath);
  }
  const wrong = columns.findIndex((column, i) => !isFit(column, cells[i] as string | null));
  const column = columns[wrong] as RowsColumn;
  const text = cells[wrong] as string | null;
  const where = { role: `row ${at}, column ${column.name}` };
  if (text === null) {
    const detail = `${row} has NULL in column ${quoted(column.name)}, which is not nullable`;
    return site.reject('type_mismatch', detail, where, beneath);
  }
  const problem = parseCell(column.type, text);
  const reason = problem.kind === 'problem' ? problem.reason : 'type_mismatch';
  const wanted = problem.kind === 'problem' ? problem.detail : `expected ${column.type}`;
  const detail = `${row}, column ${quoted(column.name)}: ${wanted}`;
  return site.reject(reason, detail, where, beneath);
}

function isFit({ type, nullable }: RowsColumn, text: string | null): boolean {
  return text === null ? nullable === true : parseCell(type, text).kind === 'value';
}
