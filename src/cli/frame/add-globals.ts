/**
 * Adds the flags and the help that every command has. The output flags can be anywhere on the line and are removed before the command parses it. A parse error
 * throws an exception instead of exiting.
 */

import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { commandExits } from './exit-codes.ts';
import type { OutputMode } from './output.ts';
import { whole, wrap } from './wrap-line.ts';

/** Heading of the flags that every command has. */
export const globalsHeading = 'Global flags:';

/** Adds them to `command` and all its subcommands. In JSON mode, stderr contains only the document of an error, so no help precedes it. */
export function addGlobals(command: CommandUnknownOpts, mode: OutputMode, above = ''): void {
  const path = `${above}${command.name()}`;
  command
    .exitOverride()
    .configureOutput({ outputError: () => {}, ...(mode === 'json' && { writeErr: () => {} }) })
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'print this help');
  if (command.parent !== null && command.commands.length === 0) {
    const globals = [
      new Option('--output <format>', 'output format (default text)').choices(['text', 'json']),
      new Option('--json', 'same as --output json'),
      new Option('--non-interactive', 'never prompt; fail and name the flag that confirms'),
    ];
    for (const option of globals) command.addOption(option.helpGroup(globalsHeading));
    const help = new Option('-h, --help', 'print this help');
    command.addHelpOption(help.helpGroup(globalsHeading));
    const exits = commandExits[path];
    if (exits !== undefined) command.addHelpText('after', `\n${exitText(exits)}`);
  } else {
    command.helpCommand(false);
  }
  for (const child of command.commands) addGlobals(child, mode, `${path} `);
}

/** Formats exit codes at the width of the rest of the help. A code stays on one line with the first word of its meaning. */
function exitText(exits: string): string {
  const text = `Exit codes: ${exits}`.replace(/(?<=·|\d) /g, whole);
  return wrap(text, 80, { indent: '  ' }).join('\n');
}
