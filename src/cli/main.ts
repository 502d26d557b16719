/** Builds the command tree, runs one command, and turns whatever happens into an exit code. */

import { Command, Option } from '@commander-js/extra-typings';
import { outputMode, printError } from './output.ts';
import { serveCommand } from './serve.ts';
import { exitCodes, troubleOf } from './trouble.ts';
import { version } from './version.ts';
import { versionCommand } from './version-command.ts';

/** Runs `argv` (without the program's own name) and returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const mode = outputMode(argv);
  let exitCode: number = exitCodes.done;
  const program = new Command('svc')
    .description('A relational database service that speaks JSON over HTTP.')
    .version(version, '-V, --version', 'print the version')
    .helpCommand(false);
  program.addCommand(serveCommand(mode, (code) => (exitCode = code)));
  program.addCommand(versionCommand(mode));
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ outputError: () => {} })
      .allowExcessArguments(false);
    command.helpOption('-h, --help', 'print this help');
  }
  for (const command of program.commands) {
    command.addOption(new Option('--output <format>', 'default text').choices(['text', 'json']));
    command.option('--json', 'same as --output json');
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    const trouble = troubleOf(error);
    if (trouble === undefined) return exitCodes.done;
    printError(mode, trouble);
    return trouble.exitCode;
  }
}
