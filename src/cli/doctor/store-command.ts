/** `svc doctor store`: whether a place does what a store relies on, found out by doing it. */

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
Writes, reads, lists and deletes objects of its own (below probe/ in a bucket, in a directory of its own in a directory), and lets many
creators race for the same object: in each round exactly one may win, or two servers could both believe that they own the database.
Then reads a store that is there already as a start would, and says what a start would refuse; reads all its tables, and names those that are damaged
or missing, and claims (epoch/) that are missing. Nothing of it is changed, and a server may be running on it. Where no store is, it says so.

With --restore-claims nothing is tried out. No server may be running: the whole store is read as a start would, and if nothing but claims is missing,
they are made again, once that is agreed to (--yes). The store opens then with all that it holds.
A directory that \`svc serve\` refuses is refused here, too, and nothing is written into it. The variables are those of \`svc serve\`.`;

export function doctorStoreCommand(shell: Shell, exit: (code: ExitCode) => void) {
  const command = new Command('store')
    .description(
      'Check that a place is fit for a store: consistent, and with real conditional writes.',
    )
    .option('--rounds <n>', 'rounds of racing creators (default 20)', countFrom1)
    .option('--creators <n>', 'creators in a round (default 16)', countFrom1)
    .option('--skim', 'of tables read only what finds their entries, not the entries')
    .option('--restore-claims', 'make claims (epoch/…) again that are missing in a directory')
    .option('-y, --yes', 'with --restore-claims: do not ask')
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

/** A place without a store is no healthy one: a path may be mistyped. Nor is one whose rows nobody has read. */
function verdictOn(checks: readonly Check[], isSkimmed: boolean): string {
  if (checks.some(({ name }) => name === 'store')) return 'fit, but no store is there';
  return isSkimmed ? 'nothing failed, but entries were not read (--skim)' : 'healthy';
}

const onlyFile = 'file, with --restore-claims: other stores have no claims of their own';
const wantedByYes = 'it with --yes, which agrees to what it writes';

function countFrom1(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 1) return count;
  throw new InvalidArgumentError('A whole number from 1 to 9999 is wanted.');
}
