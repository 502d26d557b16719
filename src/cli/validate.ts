/** `svc validate`: checks the schema file without a server. */

import { resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { printResult } from './frame/output.ts';
import type { Shell } from './frame/shell.ts';
import { readSchemaFile, schemaFile } from './project/schema-file.ts';

export function validateCommand(shell: Shell) {
  return new Command('validate')
    .description('Check the schema file; no server is needed.')
    .argument('[file]', `the schema file (default ${schemaFile})`)
    .option('-f, --file <file>', 'the same')
    .action((given, flags) => {
      const file = given ?? flags.file ?? schemaFile;
      const { catalog, warnings } = readSchemaFile(resolve(file), file);
      for (const warning of warnings) shell.say(`warning: ${warning}\n`);
      const tables = catalog.tables.length;
      const columns = catalog.tables.reduce((sum, table) => sum + table.columns.length, 0);
      printResult(
        shell.mode,
        { valid: true, file, tables, columns },
        `valid  ${file} — ${counted(tables, 'table')}, ${counted(columns, 'column')}`,
      );
    });
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
