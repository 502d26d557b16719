/** `svc version`. */

import { Command } from '@commander-js/extra-typings';
import { type OutputMode, printResult } from './output.ts';
import { version } from './version.ts';

export function versionCommand(mode: OutputMode) {
  return new Command('version')
    .description('Print the version.')
    .action(() => printResult(mode, { version }, version));
}
