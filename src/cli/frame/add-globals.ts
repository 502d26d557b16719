/**
 * What every command has: the output flags, which stand anywhere on the line and are taken from it before a command sees them, and errors as
 * exceptions instead of an exit.
 */

import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';

export function addGlobals(command: CommandUnknownOpts): void {
  command
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'print this help');
  if (command.parent !== null && command.commands.length === 0) {
    command.addOption(new Option('--output <format>', 'default text').choices(['text', 'json']));
    command.option('--json', 'same as --output json');
    command.option('--non-interactive', 'never ask; fail with the flag that answers instead');
  } else {
    command.helpCommand(false);
  }
  for (const child of command.commands) addGlobals(child);
}
