/**
 * What every command has: the output flags, which stand anywhere on the line and are taken from it before a command sees them, and errors as
 * exceptions instead of an exit.
 */

import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { commandExits } from './exit-codes.ts';
import type { OutputMode } from './output.ts';
import { whole, wrap } from './wrap-line.ts';

/** Of the flags that every command has. */
export const globalsHeading = 'Everywhere:';

/** In JSON, stderr has the document of an error alone: no help stands before it. */
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

/** As wide as the rest of the help; a code stays with the first word of what it means. */
function exitText(exits: string): string {
  const text = `Exit codes: ${exits}`.replace(/(?<=·|\d) /g, whole);
  return wrap(text, 80, { indent: '  ' }).join('\n');
}
