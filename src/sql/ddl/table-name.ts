/** Names of tables. The table `t` of a schema `s` has the name `s.t` in the catalog, a table of the schema `public` has its own name. */

import type { RangeVar } from 'libpg-query';
import { type Catalog, type Table, tableByName } from '#catalog';
import type { CatalogProgram } from './catalog-program.ts';

/** A name as a statement writes it. */
export type WrittenName = Pick<RangeVar, 'schemaname' | 'relname' | 'location'>;

const publicSchema = 'public';
const systemSchemas = new Set(['pg_catalog', 'information_schema', 'pg_toast']);

/** Returns the schema of a table, and its name within the schema. */
export function splitName(name: string): { schema: string; name: string } {
  const dot = name.indexOf('.');
  if (dot < 0) return { schema: publicSchema, name };
  return { schema: name.slice(0, dot), name: name.slice(dot + 1) };
}

export function catalogName(schema: string, name: string): string {
  return schema === publicSchema ? name : `${schema}.${name}`;
}

export function writtenText({ schemaname, relname = '' }: WrittenName): string {
  return schemaname === undefined ? relname : `${schemaname}.${relname}`;
}

/** Returns the table that a name means, or `undefined`. */
export function findTable(program: CatalogProgram, written: WrittenName): Table | undefined {
  const { schemaname, relname = '' } = written;
  const { catalog, searchPath } = program.setting;
  for (const schema of schemaname === undefined ? searchPath : [schemaname]) {
    const found = tableByName(catalog, catalogName(schema, relname));
    if (found !== undefined) return found;
  }
  return undefined;
}

export function requireTable(program: CatalogProgram, written: WrittenName): Table {
  const table = findTable(program, written);
  if (table !== undefined) return table;
  const { location } = written;
  throw program.error('42P01', `relation "${writtenText(written)}" does not exist`, { location });
}

/** Returns the name that a new table gets in the catalog. */
export function newTableName(program: CatalogProgram, written: WrittenName): string {
  const { schemaname, relname = '', location } = written;
  requireNewName(program, relname, location);
  return catalogName(schemaname ?? creationSchema(program), relname);
}

/** Throws for the name of a table that would mean a table of another schema. */
export function requireNewName(
  program: CatalogProgram,
  name: string,
  location?: number | undefined,
): void {
  if (!name.includes('.')) return;
  throw program.unsupported('a name of a table with a dot', 'Use another name.', location ?? -1);
}

function creationSchema(program: CatalogProgram): string {
  const { catalog, searchPath } = program.setting;
  const schema = searchPath.find((one) => isSchema(catalog, one));
  if (schema !== undefined) return schema;
  throw program.error('3F000', 'no schema has been selected to create in');
}

export function tablesOf(catalog: Catalog, schema: string): readonly Table[] {
  return catalog.tables.filter((table) => splitName(table.name).schema === schema);
}

/** A schema other than `public` exists while it has tables. */
export function isSchema(catalog: Catalog, schema: string): boolean {
  return schema === publicSchema || tablesOf(catalog, schema).length > 0;
}

export function isSystemSchema(schema: string): boolean {
  return systemSchemas.has(schema);
}
