/** Compiles the statements that change the catalog, in databases of the mode `direct`. */

import type { CreateSchemaStmt, Node } from 'libpg-query';
import type { CompileInput } from '../compile-input.ts';
import type { Compiled } from '../compiled.ts';
import { alterTable } from './alter-table.ts';
import { CatalogProgram } from './catalog-program.ts';
import { createIndex } from './create-index.ts';
import { createTable } from './create-table.ts';
import { drop } from './drop.ts';
import { rename } from './rename.ts';
import { isSystemSchema, tablesOf } from './table-name.ts';

/** Returns whether a statement changes the catalog. */
export function isDdl(node: Node): boolean {
  return (
    'CreateStmt' in node ||
    'CreateTableAsStmt' in node ||
    'CreateSchemaStmt' in node ||
    'IndexStmt' in node ||
    'AlterTableStmt' in node ||
    'RenameStmt' in node ||
    'DropStmt' in node
  );
}

/** Throws an `SqlError` for a statement that is wrong or that svc does not have. */
export function compileDdl(input: CompileInput): Compiled {
  const program = new CatalogProgram(input);
  if (input.setting.mode === 'schema') {
    const hint = 'The schema file manages the catalog: use svc schema migrate.';
    throw program.unsupported('a change of the catalog by SQL', hint);
  }
  return program.finish(compileInto(program, input.node));
}

/** Returns the tag. */
function compileInto(program: CatalogProgram, node: Node): string {
  if ('CreateStmt' in node) {
    createTable(program, node.CreateStmt);
    return 'CREATE TABLE';
  }
  if ('IndexStmt' in node) {
    createIndex(program, node.IndexStmt);
    return 'CREATE INDEX';
  }
  if ('AlterTableStmt' in node) {
    alterTable(program, node.AlterTableStmt);
    return 'ALTER TABLE';
  }
  if ('RenameStmt' in node) {
    rename(program, node.RenameStmt);
    return 'ALTER TABLE';
  }
  if ('DropStmt' in node) return drop(program, node.DropStmt);
  if ('CreateSchemaStmt' in node) {
    createSchema(program, node.CreateSchemaStmt);
    return 'CREATE SCHEMA';
  }
  throw program.unsupported('CREATE TABLE AS', 'Use CREATE TABLE, then INSERT … SELECT.');
}

/** A schema is the first part of the names of its tables, so that a schema without tables is not stored. */
function createSchema(program: CatalogProgram, node: CreateSchemaStmt): void {
  const { schemaname = '', schemaElts = [], if_not_exists } = node;
  if (schemaElts.length > 0) {
    throw program.unsupported('CREATE SCHEMA with elements', 'Send several statements.');
  }
  if (schemaname.includes('.')) throw program.unsupported('a name of a schema with a dot');
  const isTaken =
    schemaname === 'public' ||
    isSystemSchema(schemaname) ||
    tablesOf(program.setting.catalog, schemaname).length > 0;
  const text = `schema "${schemaname}" already exists`;
  if (isTaken && !if_not_exists) throw program.error('42P06', text);
  if (isTaken) program.notice('42P06', `${text}, skipping`);
}
