/** Builds the command tree, runs one command, and converts its result or error to an exit code. */

import { Command, CommanderError } from '@commander-js/extra-typings';
import { version } from '#base';
import { completionsCommand } from './completions/completions-command.ts';
import { devCommand } from './dev/dev-command.ts';
import { docsCommand } from './docs/docs-command.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { explainCommand } from './explain/explain-command.ts';
import { addGlobals } from './frame/add-globals.ts';
import { readCommandLine } from './frame/command-line.ts';
import { completeCommands } from './frame/complete-commands.ts';
import { exitCodes } from './frame/exit-codes.ts';
import { printError, printResult } from './frame/output.ts';
import { type ReportedError, reportedErrorOf } from './frame/reported-error.ts';
import { processShell, type Shell } from './frame/shell.ts';
import { generateCommand } from './generate/generate-command.ts';
import { initCommand } from './init/init.ts';
import { keyCommand } from './key/key-command.ts';
import { operatorCommand } from './operator/operator-command.ts';
import { schemaCommand } from './schema/schema-command.ts';
import { seedCommand } from './seed/seed-command.ts';
import { serveCommand } from './serve/serve-command.ts';
import { unknownVariables } from './serve/unknown-variables.ts';
import { statisticsCommand } from './statistics/statistics-command.ts';
import { topCommand } from './top/top-command.ts';
import { validateCommand } from './validate.ts';

/** Runs `argv` (without the program's own name) and returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const shell = processShell(argv);
  let exitCode: number = exitCodes.done;
  const program = commandTree(shell, (code) => (exitCode = code));
  let path = program.name();
  try {
    const line = readCommandLine(program, argv);
    path = line.path;
    // A server reports unknown variables in its log.
    if (path !== 'svc serve')
      for (const line of unknownVariables(shell.env)) shell.note(`warning: ${line}`);
    await program.parseAsync(line.argv, { from: 'user' });
    for (const note of shell.notes) shell.say(note);
    return exitCode;
  } catch (error) {
    const trouble = reportedErrorOf(error, path);
    if (trouble === undefined) return exitCodes.done;
    const complete = (text: string) => completeCommands(text, program, argv);
    printError(shell, withNotes(withHint(trouble, complete), shell.notes));
    return trouble.exitCode;
  }
}

/** Completes the hint of the error, including the copy in its details. */
function withHint(trouble: ReportedError, complete: (text: string) => string): ReportedError {
  if (trouble.hint === undefined) return trouble;
  const hint = complete(trouble.hint);
  const { details } = (trouble.members ?? {}) as { readonly details?: object };
  if (details === undefined) return { ...trouble, hint };
  return { ...trouble, hint, members: { ...trouble.members, details: { ...details, hint } } };
}

function withNotes(trouble: ReportedError, notes: readonly string[]): ReportedError {
  return notes.length === 0 ? trouble : { ...trouble, members: { ...trouble.members, notes } };
}

/** Returns all commands, in the order in which a user first needs them. */
export function commandTree(shell: Shell, exit: (code: number) => void) {
  const tellVersion = () => printResult(shell, { version }, version);
  const program = new Command('svc')
    .description('A relational database service that speaks JSON over HTTP.')
    .option('-V, --version', 'print the version')
    .on('option:version', () => {
      tellVersion();
      throw new CommanderError(0, 'commander.version', version);
    });
  const printVersion = new Command('version').description('Print the version.').action(tellVersion);
  const groups = {
    'Get started:': [initCommand(shell), devCommand(shell, exit), serveCommand(shell, exit)],
    'Cluster:': [operatorCommand(shell, exit)],
    'Schema:': [
      validateCommand(shell),
      schemaCommand(shell, exit),
      generateCommand(shell, exit),
      seedCommand(shell),
    ],
    'Access:': [keyCommand(shell)],
    'Diagnostics and documentation:': [
      explainCommand(shell),
      doctorCommand(shell, exit),
      topCommand(shell),
      statisticsCommand(shell),
      docsCommand(shell),
    ],
    'Shell:': [completionsCommand(shell, () => program), printVersion],
  };
  for (const [heading, commands] of Object.entries(groups)) {
    for (const command of commands) program.addCommand((command as Command).helpGroup(heading));
  }
  addGlobals(program, shell.mode);
  return program;
}
