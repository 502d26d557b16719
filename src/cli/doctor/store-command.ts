/** `svc doctor store`: whether a place does what a store relies on, found out by doing it. */

import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { readConfiguration } from '#server';
import { examinePlace } from '#storage';
import type { ExitCode } from '../frame/exit-codes.ts';
import { flagValues } from '../frame/flag-values.ts';
import type { Shell } from '../frame/shell.ts';
import { placeFlags } from '../serve/serve-flags.ts';
import { reportChecks } from './report-checks.ts';

const help = `
Writes, reads, lists and deletes objects of its own (below probe/ in a bucket, in a directory of its own in a directory), and lets many
creators race for the same object: in each round exactly one may win, or two servers could both believe that they own the database.
Then reads all tables of a store that is there already, and names those that are damaged or missing. Nothing of it is changed, and a server
may be running on it.
The variables are those of \`svc serve\`.`;

export function doctorStoreCommand(shell: Shell, exit: (code: ExitCode) => void) {
  const command = new Command('store')
    .description(
      'Check that a place is fit for a store: consistent, and with real conditional writes.',
    )
    .option('--rounds <n>', 'rounds of racing creators (default 20)', countFrom1)
    .option('--creators <n>', 'creators in a round (default 16)', countFrom1)
    .option('--skim', 'of tables read only what finds their entries, not the entries')
    .addHelpText('after', help);
  for (const [name, description] of placeFlags) command.option(name, description);
  return command.action(async ({ rounds = 20, creators = 16, skim = false, ...flags }) => {
    const { storage, storagePath, s3 } = readConfiguration(flagValues(flags), shell.env);
    const place = { storage, path: storagePath, s3, world: shell.world };
    reportChecks(shell, exit, await examinePlace(place, { rounds, creators, isThorough: !skim }));
  });
}

function countFrom1(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 1) return count;
  throw new InvalidArgumentError('A whole number from 1 to 9999 is wanted.');
}
