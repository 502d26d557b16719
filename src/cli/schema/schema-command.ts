/** `svc schema`: the commands that compare and change the schema. */

import { Command } from '@commander-js/extra-typings';
import { schemaFileJsonSchema } from '#schema';
import type { ExitCode } from '../frame/exit-codes.ts';
import { printText } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { checkCommand } from './check.ts';
import { diffCommand } from './diff.ts';
import { migrateCommand } from './migrate/migrate-command.ts';
import { pullCommand } from './pull.ts';
import { statusCommand } from './status.ts';
import { transitionsCommand } from './transitions/transitions-command.ts';

export function schemaCommand(shell: Shell, exit: (code: ExitCode) => void) {
  const grammar = new Command('json-schema')
    .description('Print the JSON Schema of the schema file.')
    .action(() => printText(schemaFileJsonSchema()));
  return new Command('schema')
    .description('Compare and change the schema; without a subcommand, show its status.')
    .addCommand(statusCommand(shell, exit), { isDefault: true })
    .addCommand(diffCommand(shell, exit))
    .addCommand(checkCommand(shell))
    .addCommand(migrateCommand(shell))
    .addCommand(pullCommand(shell))
    .addCommand(grammar)
    .addCommand(transitionsCommand(shell));
}
