/** `svc doctor store --restore-claims`: says what it has found and what it would write, and writes that when somebody agrees. */

import { join } from 'node:path';
import { examineForRepair } from '#storage';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { confirm, type Shell } from '../frame/shell.ts';
import type { Check } from './report-checks.ts';

interface RepairFlags {
  readonly path: string;
  readonly isThorough: boolean;
  /** Nobody needs to be asked. */
  readonly isAgreed: boolean;
}

const shownMax = 10;

export async function repairClaims(
  shell: Shell,
  { path, isThorough, isAgreed }: RepairFlags,
): Promise<readonly Check[]> {
  using repair = await examineForRepair({ path, isThorough, world: shell.world });
  const { findings, missing } = repair;
  if (missing.length === 0) return findings;
  for (const { name, status, message } of findings) shell.say(`${status}  ${name}: ${message}`);
  const written = missing.slice(0, shownMax).map((name) => join(path, name));
  const more = missing.length > shownMax ? ` and ${missing.length - shownMax} more` : '';
  const plan = `${written.join(', ')}${more} would be written, and nothing else`;
  if (!isAgreed) await consent(shell, plan);
  const claims = await repair.restore();
  const details = { ...claims.details, restored: missing };
  const count = missing.length === 1 ? 'one was' : `${missing.length} were`;
  const restored = { ...claims, message: `${claims.message}: ${count} made again`, details };
  return findings.map((finding) => (finding.name === 'claims' ? restored : finding));
}

async function consent(shell: Shell, plan: string): Promise<void> {
  if (!shell.isInteractive) {
    throw new CommandFailure({
      code: 'confirmation_required',
      message: plan,
      hint: '--yes agrees',
      exitCode: exitCodes.consent,
    });
  }
  shell.say(plan);
  if (await confirm(shell, 'Write them?')) return;
  throw new CommandFailure({
    code: 'claims_not_restored',
    message: 'nothing was changed',
    exitCode: exitCodes.consent,
  });
}
