/** Whether the server has the schema that the client was generated from, or one that all the client knows fits. */

import type { KnownTable } from './seam.ts';

/** What `GET /schema` tells, as far as it is looked at. */
export interface ServerSchema {
  readonly schema_version: number;
  readonly schema_hash: string;
  readonly schema: { readonly tables: readonly ServerTable[] };
}

interface ServerTable {
  readonly name: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly format?: string;
    readonly nullable?: boolean;
    readonly default?: unknown;
  }[];
  readonly primary_key: readonly string[];
  readonly indexes?: readonly { readonly columns: readonly string[]; readonly unique?: boolean }[];
}

/** What of the known tables is not there, or not as it was; one sentence each. */
export function differencesOf(known: readonly KnownTable[], server: ServerSchema): string[] {
  return known.flatMap((table) => {
    const found = server.schema.tables.find(({ name }) => name === table.name);
    return found ? inTable(table, found) : [`table ${table.name} is not there`];
  });
}

function inTable({ name, columns, keys }: KnownTable, found: ServerTable): string[] {
  const differences: string[] = [];
  for (const column of columns) {
    const place = `${name}.${column.name}`;
    const other = found.columns.find((each) => each.name === column.name);
    if (!other) differences.push(`column ${place} is not there`);
    else if (other.type !== column.type || (other.format ?? '') !== (column.format ?? '')) {
      differences.push(`column ${place} is ${wireTypeOf(other)}, not ${wireTypeOf(column)}`);
    } else if (other.nullable && !column.nullable) {
      differences.push(`column ${place} may be null`);
    }
  }
  for (const { name: column, nullable, default: standing } of found.columns) {
    if (nullable || standing !== undefined || columns.some((each) => each.name === column))
      continue;
    differences.push(`column ${name}.${column} is new, and an insert must give it`);
  }
  const unique = [
    found.primary_key,
    ...(found.indexes ?? []).filter((index) => index.unique).map((index) => index.columns),
  ].map(setOf);
  for (const key of keys) {
    if (unique.includes(setOf(key))) continue;
    differences.push(`${name}(${key.join(', ')}) is not unique any more`);
  }
  return differences;
}

function wireTypeOf({ type, format }: { type: string; format?: string | undefined }): string {
  return format ? `${type} ${format}` : type;
}

/** Columns are unique together in any order. */
function setOf(columns: readonly string[]): string {
  return JSON.stringify([...columns].sort());
}
