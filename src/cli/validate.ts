/** `svc validate`: checks the schema file without a server. */

import { dirname, resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import type { Catalog } from '#catalog';
import { CommandFailure } from './frame/command-failure.ts';
import { printResult } from './frame/output.ts';
import { counted } from './frame/quantity.ts';
import type { Shell } from './frame/shell.ts';
import { AcceptedSchemas } from './project/accepted.ts';
import { Lineage } from './project/lineage.ts';
import { isTyped } from './project/read-file.ts';
import { reusedIds, sharedIds } from './project/reused-ids.ts';
import { readSchemaFile, schemaFile } from './project/schema-file.ts';
import { StateDirectory } from './project/state-directory.ts';
import { TableOrigins } from './project/table-origins.ts';

export function validateCommand(shell: Shell) {
  return new Command('validate')
    .description('Check the schema file without a server.')
    .argument('[file]', `schema file to check (default ${schemaFile})`)
    .option('-f, --file <file>', 'schema file to check, instead of the argument')
    .action((given, flags) => {
      const file = given ?? flags.file ?? schemaFile;
      const path = resolve(file);
      if (isTyped(path)) shell.say('type the schema and finish with Ctrl-D');
      const { catalog, warnings } = readSchemaFile(path, file);
      for (const warning of warnings) shell.note(`warning: ${warning}\n`);
      for (const warning of usedBefore(file, catalog)) shell.note(`warning: ${warning}`);
      const tables = catalog.tables.length;
      const columns = catalog.tables.reduce((sum, table) => sum + table.columns.length, 0);
      printResult(
        shell,
        { valid: true, file, tables, columns },
        `valid  ${file} — ${counted(tables, 'table')}, ${counted(columns, 'column')}`,
      );
    });
}

/** Returns warnings about ids that belonged to other objects before. Unreadable accepted schemas are a warning, since they are not an error in the file. */
function usedBefore(file: string, catalog: Catalog): readonly string[] {
  try {
    const state = new StateDirectory(dirname(resolve(file)));
    const accepted = new AcceptedSchemas(state);
    const origins = new TableOrigins(accepted, new Lineage(state));
    return [...reusedIds(catalog, accepted), ...sharedIds(catalog, accepted, origins)];
  } catch (error) {
    if (error instanceof CommandFailure) return [error.message];
    throw error;
  }
}
