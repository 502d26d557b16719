/** `svc schema diff`: shows the changes of a migration, as the server determines them. */

import { Option } from '@commander-js/extra-typings';
import type { SchemaDiff } from '#client';
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import { paintOutput } from '../frame/paint.ts';
import type { Shell } from '../frame/shell.ts';
import { openProject } from '../project/open-project.ts';
import { projectCommand } from '../project/project-options.ts';
import { compare } from './compare.ts';
import { diffText } from './show-diff.ts';

export function diffCommand(shell: Shell, exit: (code: ExitCode) => void) {
  return projectCommand('diff')
    .description('Show the changes and the data loss of a migration.')
    .addOption(
      new Option('--format <format>', 'output format (default text)').choices(['text', 'json']),
    )
    .option('--exit-code', 'exit with 3 if there are changes, with 4 if they cannot be applied')
    .action(async ({ format, exitCode, ...flags }) => {
      const { diff } = await compare(shell, openProject(shell, flags));
      const { notes, mode } = shell;
      printResult({ mode: format ?? mode, notes }, diff, diffText(diff, paintOutput));
      if (exitCode) exit(verdict(diff));
    });
}

function verdict({ changes, blocking }: SchemaDiff): ExitCode {
  if (blocking.length > 0) return exitCodes.blocked;
  return changes.length > 0 ? exitCodes.differs : exitCodes.done;
}
