/** `svc doctor security`: checks the settings of a server and their files, without starting it. */

import { Command } from '@commander-js/extra-typings';
import { Connection, KeyApi, SchemaApi } from '#client';
import {
  keySetCheck,
  ownListener,
  readConfiguration,
  type ServeConfiguration,
  securityChecks,
  withHostAddresses,
} from '#server';
import type { ExitCode } from '../frame/exit-codes.ts';
import { flagValues } from '../frame/flag-values.ts';
import type { Shell } from '../frame/shell.ts';
import { caOption, tokenOption } from '../project/project-options.ts';
import { serveOptions } from '../serve/serve-flags.ts';
import { checkKeys } from './check-keys.ts';
import { checkPolicies } from './check-policies.ts';
import { reportChecks } from './report-checks.ts';

const help = `
Run the command as the user of the server, with the flags and environment variables of the server. It starts nothing and changes nothing. The checks
of API keys and row policies need the running server and an access token with the scope admin; all other checks need neither.`;

export function doctorSecurityCommand(shell: Shell, exit: (code: ExitCode) => void) {
  const command = new Command('security')
    .description(
      'Check which clients can reach a server, its certificates and keys, and the permissions of its files.',
    )
    .addOption(tokenOption())
    .addOption(caOption())
    .addHelpText('after', help);
  for (const option of serveOptions) command.addOption(option);
  return command.action(async ({ accessTokenFile, caFile, ...flags }) => {
    const { env, world } = shell;
    const configuration = await withHostAddresses(readConfiguration(flagValues(flags), env));
    const { authentication, role } = configuration;
    const nowMs = world.clock.unixMs();
    const connection = () => connectionOf(shell, configuration, { accessTokenFile, caFile });
    const { acceptsKeys } = authentication;
    const acceptsTokens = authentication.tokens !== undefined;
    reportChecks(shell, exit, [
      ...securityChecks(configuration, nowMs),
      await keySetCheck(configuration, { world }),
      await checkKeys({
        connect: () => {
          const found = connection();
          return found && new KeyApi(found);
        },
        acceptsKeys,
        acceptsTokens,
        isReader: role === 'read',
        nowMs,
      }),
      await checkPolicies({
        connect: () => {
          const found = connection();
          return found && new SchemaApi(found);
        },
        hasAuthentication: acceptsKeys || acceptsTokens,
      }),
    ]);
  });
}

/** Returns `undefined` without an access token. Throws a `RefusedOption` if the address or the certificate is unusable. */
function connectionOf(
  { env, world }: Shell,
  configuration: ServeConfiguration,
  given: { readonly accessTokenFile?: string | undefined; readonly caFile?: string | undefined },
): Connection | undefined {
  const tokenFile = given.accessTokenFile ?? (env['SVC_ACCESS_TOKEN_FILE'] || undefined);
  const token = env['SVC_ACCESS_TOKEN'] || undefined;
  if ((tokenFile ?? token) === undefined) return undefined;
  return new Connection({
    ...ownListener(configuration),
    scheduler: world.scheduler,
    tokenFile,
    token,
    caFile: given.caFile ?? (env['SVC_CA_FILE'] || undefined),
  });
}
