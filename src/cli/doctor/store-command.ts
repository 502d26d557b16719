/** `svc doctor store`: tests whether a storage location provides the guarantees that a store relies on. */

import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { RefusedOption, readConfiguration } from '#server';
import { examinePlace } from '#storage';
import type { ExitCode } from '../frame/exit-codes.ts';
import { flagValues } from '../frame/flag-values.ts';
import type { Shell } from '../frame/shell.ts';
import { placeOptions } from '../serve/serve-flags.ts';
import { repairClaims } from './repair-claims.ts';
import { type Check, reportChecks } from './report-checks.ts';

const help = `
The command writes, reads, lists and deletes test objects: below probe/ in a bucket, in a separate subdirectory of a directory. In each round, many
creators write the same object at the same time. Exactly one may succeed, otherwise two servers could both own the database.
If the location contains a store, the command then reads it like a starting server and reports errors that would prevent a start. It reads all
SSTables and reports damaged or missing ones, and missing epoch claims (epoch/). It does not change the store, and a server may be running on it.
If the location contains no store, the command reports that.

With --restore-claims, the command makes no tests. No server may be running. The command reads the whole store like a starting server. If only epoch
claims are missing, it restores them after a confirmation (--yes). The store then opens with all of its data.
The command refuses each directory that \`svc serve\` refuses, and writes nothing into it. It uses the environment variables of \`svc serve\`.`;

export function doctorStoreCommand(shell: Shell, exit: (code: ExitCode) => void) {
  const command = new Command('store')
    .description(
      'Check that a storage location is suitable: reads are consistent and conditional writes work.',
    )
    .option(
      '--rounds <n>',
      'number of rounds in which concurrent creators write the same object (default 20)',
      countFrom1,
    )
    .option('--creators <n>', 'number of creators in a round (default 16)', countFrom1)
    .option(
      '--skim',
      'read only footers, indexes and filters of the SSTables, not their data blocks',
    )
    .option('--restore-claims', 'restore epoch claims (epoch/…) that are missing in a directory')
    .option('-y, --yes', 'with --restore-claims: restore without a prompt')
    .addHelpText('after', help);
  for (const option of placeOptions) command.addOption(option);
  return command.action(async ({ rounds = 20, creators = 16, skim = false, ...given }) => {
    const { restoreClaims = false, yes = false, ...flags } = given;
    if (yes && !restoreClaims) throw new RefusedOption('--restore-claims', undefined, wantedByYes);
    const { storage, storagePath, s3 } = readConfiguration(flagValues(flags), shell.env);
    if (restoreClaims) {
      if (storage !== 'file') throw new RefusedOption('--storage', storage, onlyFile);
      const found = await repairClaims(shell, {
        path: storagePath,
        isThorough: !skim,
        isAgreed: yes,
      });
      reportChecks(shell, exit, found, verdictOn(found, skim));
      return;
    }
    const place = { storage, path: storagePath, s3, world: shell.world };
    const found = await examinePlace(place, { rounds, creators, isThorough: !skim });
    reportChecks(shell, exit, found, verdictOn(found, skim));
  });
}

/**
 * Returns the text of the last line. A location without a store is not healthy, because its path may be mistyped. A store whose rows were not read is not
 * healthy either.
 */
function verdictOn(checks: readonly Check[], isSkimmed: boolean): string {
  if (checks.some(({ name }) => name === 'store')) return 'suitable, but it contains no store';
  return isSkimmed ? 'no check failed, but data blocks were not read (--skim)' : 'healthy';
}

const onlyFile = 'file with --restore-claims, because other stores have no separate claims';
const wantedByYes = 'this flag together with --yes';

function countFrom1(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 1) return count;
  throw new InvalidArgumentError('Expected an integer from 1 to 9999.');
}
