/** `svc doctor ready`: requests `/readyz` of the server with the same settings, as the health check of a container. */

import { Command } from '@commander-js/extra-typings';
import { Connection, Unreachable } from '#client';
import { ownListener, readConfiguration } from '#server';
import type { ExitCode } from '../frame/exit-codes.ts';
import { flagValues } from '../frame/flag-values.ts';
import type { Shell } from '../frame/shell.ts';
import { caOption } from '../project/project-options.ts';
import { serveOptions } from '../serve/serve-flags.ts';
import { type Check, reportChecks } from './report-checks.ts';

const help = `
Run the command on the machine or in the container of the server, with the flags and environment variables of the server. It needs no access token.
If the server has a certificate, the command verifies it with the authorities of --ca-file, or else those of the system, and by the first name in
the file of --tls-cert. It has no client certificate, so it fails for a server with --tls-client-ca.`;

const timeoutMs = 4000;

export function doctorReadyCommand(shell: Shell, exit: (code: ExitCode) => void) {
  const command = new Command('ready')
    .description('Check that the server with these settings is ready for requests (GET /readyz).')
    .addOption(caOption())
    .addHelpText('after', help);
  for (const option of serveOptions) command.addOption(option);
  return command.action(async ({ caFile, ...flags }) => {
    const { env, world } = shell;
    const configuration = readConfiguration(flagValues(flags), env);
    const connection = new Connection({
      ...ownListener(configuration),
      scheduler: world.scheduler,
      caFile: caFile ?? (env['SVC_CA_FILE'] || undefined),
      timeoutMs,
    });
    reportChecks(shell, exit, [await readiness(connection)], 'ready');
  });
}

async function readiness(connection: Connection): Promise<Check> {
  const { origin } = connection;
  const check = { name: 'ready', details: { url: origin } };
  try {
    const { isPassing, reason } = await connection.probe('/readyz');
    return { ...check, status: isPassing ? 'pass' : 'fail', message: `${origin}: ${reason}` };
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return { ...check, status: 'fail', message: error.message };
  }
}
