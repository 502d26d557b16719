/** `svc doctor security`: checks the settings of a server and their files, without starting it. */

import { Command } from '@commander-js/extra-typings';
import { readConfiguration, securityChecks, withHostAddresses } from '#server';
import type { ExitCode } from '../frame/exit-codes.ts';
import { flagValues } from '../frame/flag-values.ts';
import type { Shell } from '../frame/shell.ts';
import { serveOptions } from '../serve/serve-flags.ts';
import { reportChecks } from './report-checks.ts';

const help = `
Run the command as the user of the server, with the flags and environment variables of the server. It starts nothing and changes nothing.`;

export function doctorSecurityCommand(shell: Shell, exit: (code: ExitCode) => void) {
  const command = new Command('security')
    .description(
      'Check which clients can reach a server, its certificates, and the permissions of its files.',
    )
    .addHelpText('after', help);
  for (const option of serveOptions) command.addOption(option);
  return command.action(async (flags) => {
    const asked = readConfiguration(flagValues(flags), shell.env);
    const configuration = await withHostAddresses(asked);
    reportChecks(shell, exit, securityChecks(configuration, shell.world.clock.unixMs()));
  });
}
