/** `svc doctor store --restore-claims`: reports its findings and the files that it would write, and writes them after a confirmation. */

import { join } from 'node:path';
import { examineForRepair } from '#storage';
import { requireConsent } from '../frame/consent.ts';
import type { Shell } from '../frame/shell.ts';
import type { Check } from './report-checks.ts';

interface RepairFlags {
  readonly path: string;
  readonly isThorough: boolean;
  /** Whether the repair is already confirmed. */
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
  if (!isAgreed) {
    await requireConsent(shell, {
      message: plan,
      hint: 'use --yes to confirm',
      shown: [plan],
      question: 'Write them?',
      refusal: 'claims_not_restored',
    });
  }
  const claims = await repair.restore();
  const details = { ...claims.details, restored: missing };
  const count = missing.length === 1 ? 'one was' : `${missing.length} were`;
  const restored = { ...claims, message: `${claims.message}: ${count} restored`, details };
  return findings.map((finding) => (finding.name === 'claims' ? restored : finding));
}
