/** `svc version`. */

import { Command } from '@commander-js/extra-typings';
import { version } from '#base';
import { printResult } from './frame/output.ts';
import type { Shell } from './frame/shell.ts';

export function versionCommand(shell: Shell) {
  return new Command('version')
    .description('Print the version.')
    .action(() => printResult(shell, { version }, version));
}
