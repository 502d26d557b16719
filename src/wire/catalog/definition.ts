/** Converts checked bodies into definitions of the catalog. They differ only in the shape of defaults. */

import type { ColumnDefault, ColumnDefinition, TableDefinition } from '#catalog';
import type { ColumnDefaultBody, ColumnDefBody, TableDefBody } from './body.ts';

export function toTableDefinition(body: TableDefBody): TableDefinition {
  return { ...body, columns: body.columns.map(toColumnDefinition) };
}

export function toColumnDefinition(body: ColumnDefBody): ColumnDefinition {
  const { default: given, ...column } = body;
  return given === undefined ? column : { ...column, default: toColumnDefault(given) };
}

export function toColumnDefault({ func, value }: ColumnDefaultBody): ColumnDefault {
  if (func !== undefined) return { kind: 'generator', func };
  return { kind: 'literal', value: value as NonNullable<typeof value> };
}
