/** Builds the command tree, runs one command, and turns whatever happens into an exit code. */

import { Command, CommanderError } from '@commander-js/extra-typings';
import { DatabaseError } from '#failure';
import { serveCommand } from './serve.ts';
import { version } from './version.ts';

/** Runs `argv` (without the program's own name) and returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command('svc')
    .description('A relational database service that speaks JSON over HTTP.')
    .version(version, '-V, --version', 'print the version')
    .exitOverride()
    .addCommand(serveCommand((code) => (exitCode = code)));
  program
    .command('version')
    .description('Print the version.')
    .action(() => console.log(version));
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return report(error);
  }
}

function report(error: unknown): number {
  // Commander has printed its own message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const message = error instanceof Error ? error.message : String(error);
  console.error(`error: ${message}`);
  return error instanceof DatabaseError && error.failure.stage === 'schema' ? 2 : 1;
}
