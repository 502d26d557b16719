/** `svc statistics`: manages the statistics that a server has collected about its programs (docs/corpus.md). */

import { Argument, Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { type Erased, StatisticsApi, Unreachable } from '#client';
import { CommandFailure } from '../frame/command-failure.ts';
import { requireConsent } from '../frame/consent.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import { counted } from '../frame/quantity.ts';
import type { Shell } from '../frame/shell.ts';
import { anyServer } from '../project/any-server.ts';
import { databaseCommand } from '../project/project-options.ts';
import { adminOrigin } from './admin-origin.ts';

export function statisticsCommand(shell: Shell) {
  return new Command('statistics')
    .description('Erase the programs that a server has stored for replay.')
    .addCommand(eraseCommand(shell));
}

function eraseCommand(shell: Shell) {
  return databaseCommand('erase')
    .description('Erase the programs that a writer has stored for replay, with their literals.')
    .addArgument(
      new Argument('[program]', 'hash of one program (default all programs)').argParser(hashOf),
    )
    .addOption(
      new Option(
        '--admin-url <url>',
        'URL of the admin listener (default the port after that of the database)',
      ),
    )
    .option('-y, --yes', 'erase without a prompt')
    .action(async (program, { yes = false, adminUrl, ...flags }) => {
      const { connection } = anyServer(shell, flags);
      const origin = adminOrigin(adminUrl, connection.origin);
      if (!yes) {
        const what = program === undefined ? 'all programs' : `program ${program}`;
        await requireConsent(shell, {
          message: `${origin}: ${what} of the workload corpus would be erased, and cannot be restored`,
          hint: 'use --yes to confirm',
          question: `Erase ${what} of the workload corpus behind ${origin}?`,
          refusal: 'erasure_cancelled',
        });
      }
      const api = new StatisticsApi(connection.at(origin));
      const erased = await api.eraseCorpus(program).catch((error) => {
        throw error instanceof Unreachable ? unreachable(error) : error;
      });
      printResult(shell, { admin_url: origin, ...erased }, textOf(erased));
    });
}

function unreachable({ message }: Unreachable): CommandFailure {
  return new CommandFailure({
    code: 'unreachable',
    message,
    hint: 'a server with --capture-workload-corpus or --admin-addr has an admin listener on loopback of its machine; set --admin-url if it is not on the next port',
    exitCode: exitCodes.unreachable,
  });
}

function textOf({ programs, executions }: Erased): string {
  return `erased ${counted(programs, 'program')} and ${counted(executions, 'execution record')}`;
}

function hashOf(text: string): string {
  const hash = text.toLowerCase();
  if (/^[0-9a-f]{32}$/.test(hash)) return hash;
  throw new InvalidArgumentError('Expected 32 hexadecimal digits.');
}
