/** `svc doctor`: checks a project and its server, a storage location, or the security or the readiness of a server in one run (docs/cli.md). */

import { Command } from '@commander-js/extra-typings';
import type { ExitCode } from '../frame/exit-codes.ts';
import type { Shell } from '../frame/shell.ts';
import { projectCommand } from '../project/project-options.ts';
import { checkProject } from './check-project.ts';
import { doctorReadyCommand } from './ready-command.ts';
import { reportChecks } from './report-checks.ts';
import { doctorSecurityCommand } from './security-command.ts';
import { doctorStoreCommand } from './store-command.ts';

export function doctorCommand(shell: Shell, exit: (code: ExitCode) => void) {
  return new Command('doctor')
    .description(
      'Check a project and its server for errors and schema differences, or check a storage location, or the security or the readiness of a server.',
    )
    .addCommand(doctorProjectCommand(shell, exit), { isDefault: true })
    .addCommand(doctorStoreCommand(shell, exit))
    .addCommand(doctorSecurityCommand(shell, exit))
    .addCommand(doctorReadyCommand(shell, exit));
}

function doctorProjectCommand(shell: Shell, exit: (code: ExitCode) => void) {
  return projectCommand('project')
    .description(
      'Check a project and its server for errors and schema differences (the default subcommand).',
    )
    .action(async (flags) => reportChecks(shell, exit, await checkProject(shell, flags)));
}
