/** `svc seed --reset`: confirmation before rows are deleted. */

import type { Catalog } from '#catalog';
import { CommandFailure } from '../frame/command-failure.ts';
import { shellWord } from '../frame/complete-commands.ts';
import { requireConsent } from '../frame/consent.ts';
import { paintMessage } from '../frame/paint.ts';
import { counted } from '../frame/quantity.ts';
import type { Shell } from '../frame/shell.ts';
import { isLocal } from '../project/is-local.ts';
import type { Project } from '../project/open-project.ts';
import { catalogOf } from '../project/schema-state.ts';

/** Asks before rows are deleted. On this machine, the flag is confirmation enough. */
export async function consentToReset(
  shell: Shell,
  { api, database }: Project,
  catalog: Catalog,
  isAgreed: boolean,
): Promise<void> {
  if (isAgreed || isLocal(database.origin)) return;
  const losses: string[] = [];
  for (const { name } of catalog.tables) {
    const rows = await api.count(name);
    if (rows > 0) losses.push(`delete ${counted(rows, 'row')} of table ${name}`);
  }
  if (losses.length === 0) return;
  const lines = losses.map((it) => `- ${it}`);
  await requireConsent(shell, {
    message: [`--reset deletes rows of ${database.url}:`, ...lines].join('\n'),
    hint: 'nothing was changed; use --yes to confirm',
    details: { losses },
    shown: lines.map((line) => paintMessage('red', line)),
    question: `Continue in ${database.url}?`,
    refusal: 'seed_cancelled',
  });
}

/** Returns whether the database has no rows. */
export async function isWithoutRows({ api }: Project): Promise<boolean> {
  for (const { name } of catalogOf(await api.schema()).tables) {
    if (await api.holdsRows(name)) return false;
  }
  return true;
}

/** Throws if a table has rows. Seed data would duplicate them or conflict with them. */
export async function requireEmpty(
  { api, suggest }: Project,
  tables: readonly string[],
  file: string,
): Promise<void> {
  for (const name of tables) {
    if (!(await api.holdsRows(name))) continue;
    throw new CommandFailure({
      code: 'seed_not_empty',
      message: `table "${name}" already has rows`,
      hint: `nothing was changed; \`${suggest(`seed ${shellWord(file)} --reset`)}\` deletes all rows of the database first, and --append adds to them`,
    });
  }
}
