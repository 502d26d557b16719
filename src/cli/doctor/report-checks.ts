/** Prints the checks of a doctor command and sets its exit code. */

import { CommandFailure } from '../frame/command-failure.ts';
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import { paintOutput } from '../frame/paint.ts';
import type { Shell } from '../frame/shell.ts';

export interface Check {
  readonly name: string;
  readonly status: 'pass' | 'warning' | 'fail';
  readonly message: string;
  readonly details: object;
}

/** Prints all checks. `healthy` is the text of the last line if no check has failed. The default text is replaced if there are warnings. */
export function reportChecks(
  shell: Shell,
  exit: (code: ExitCode) => void,
  checks: readonly Check[],
  healthy = 'healthy',
): void {
  const isHealthy = checks.every(({ status }) => status !== 'fail');
  const warnings = checks.filter(({ status }) => status === 'warning').length;
  const sound = healthy === 'healthy' && warnings > 0 ? nothingFailed(warnings) : healthy;
  const lines = [...checks.map(checkLine), `Doctor: ${isHealthy ? sound : 'failed'}`];
  printResult(shell, { healthy: isHealthy, checks }, lines.join('\n'));
  if (isHealthy) return;
  if (shell.mode === 'text') {
    exit(exitCodes.failed);
    return;
  }
  const failed = checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
  throw new CommandFailure({ code: 'doctor_failed', message: `failed: ${failed.join(', ')}` });
}

/** Returns the summary of checks of which none failed, with the number of warnings. Unapplied changes are a warning, not a failure. */
function nothingFailed(warnings: number): string {
  return `nothing failed, ${warnings === 1 ? 'one warning' : `${warnings} warnings`}`;
}

const colours = { pass: 'green', warning: 'yellow', fail: 'red' } as const;

function checkLine({ status, name, message }: Check): string {
  return `${paintOutput(colours[status], status.padEnd(7))}  ${name.padEnd(18)}  ${message}`;
}
