/** `svc doctor`: everything that can be wrong between a project and its server, in one run (cli.md §2.9). */

import { styleText } from 'node:util';
import { Command } from '@commander-js/extra-typings';
import { CommandFailure } from '../frame/command-failure.ts';
import type { ExitCode } from '../frame/exit-codes.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { configOption, fileOption, tokenOption } from '../project/project-options.ts';
import { type Check, checkProject } from './check-project.ts';

export function doctorCommand(shell: Shell, exit: (code: ExitCode) => void) {
  return new Command('doctor')
    .description('Check the project, its server, and what is between them.')
    .addOption(configOption())
    .addOption(fileOption())
    .addOption(tokenOption())
    .action(async (flags) => {
      const checks = await checkProject(shell, flags);
      const isHealthy = checks.every(({ status }) => status !== 'fail');
      const lines = [...checks.map(checkLine), `Doctor: ${isHealthy ? 'healthy' : 'failed'}`];
      printResult(shell.mode, { healthy: isHealthy, checks }, lines.join('\n'));
      if (isHealthy) return;
      if (shell.mode === 'text') return exit(exitCodes.failed);
      const failed = checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
      throw new CommandFailure({
        code: 'doctor_failed',
        message: `failed: ${failed.join(', ')}`,
      });
    });
}

const colours = { pass: 'green', warning: 'yellow', fail: 'red' } as const;

function checkLine({ status, name, message }: Check): string {
  return `${styleText(colours[status], status.padEnd(7))}  ${name.padEnd(18)}  ${message}`;
}
