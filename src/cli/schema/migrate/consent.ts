/** Agreement to what a migration takes away: by a flag that names it, or by an answer. */

import type { SchemaDiff } from '#client';
import { CommandFailure } from '../../frame/command-failure.ts';
import { exitCodes } from '../../frame/exit-codes.ts';
import { confirm, type Shell } from '../../frame/shell.ts';
import { lossLine } from '../show-diff.ts';
import type { Touched } from './touched.ts';

/** What the flags of the command agree to. */
export interface Agreement {
  /** All losses that the difference names, and all deletions. */
  readonly acceptDataLoss: boolean;
  /** Names, or `all`. */
  readonly allowDelete: readonly string[];
  readonly allowRename: readonly string[];
}

export interface Asked {
  readonly diff: SchemaDiff;
  readonly touched: readonly Touched[];
}

/** What no flag agrees to yet, each as a line and the flag that would. */
export interface OpenQuestion {
  readonly text: string;
  readonly flag: string;
}

export function openQuestions(
  { diff, touched }: Asked,
  agreement: Agreement,
): readonly OpenQuestion[] {
  const { acceptDataLoss } = agreement;
  const open = touched.filter((it) => !isAllowed(it, agreement));
  const deleted = open.filter(({ kind }) => kind === 'delete');
  const losses = acceptDataLoss ? [] : diff.destructive.filter(isNamedBy(touched, agreement));
  const isTold = (it: Touched) =>
    losses.some(({ table, column }) => nameOf(table, column) === it.name);
  return [
    ...losses.map((finding) => ({ text: lossLine(finding), flag: '--accept-data-loss' })),
    ...deleted
      .filter((it) => !isTold(it))
      .map(({ name, table }) => ({
        text: `${name === table ? 'table' : 'column'} ${name} will be deleted; table ${table} has rows`,
        flag: `--allow-delete ${name}`,
      })),
    ...open
      .filter(({ kind }) => kind === 'rename')
      .map(({ name, to, table }) => ({
        text: `${name === table ? 'table' : 'column'} ${name} will be called ${to}: programs that use the old name fail from then on`,
        flag: `--allow-rename ${name}`,
      })),
  ];
}

/** Whether losses are accepted. Throws when one question stays open, or is answered with no. */
export async function consent(shell: Shell, asked: Asked, agreement: Agreement): Promise<boolean> {
  const questions = openQuestions(asked, agreement);
  if (questions.length === 0) return asked.diff.destructive.length > 0;
  if (!shell.isInteractive) throw unanswered(questions, asked.diff);
  for (const { text } of questions) shell.say(text);
  if (await confirm(shell, 'Continue?')) return asked.diff.destructive.length > 0;
  throw new CommandFailure({
    code: 'migration_cancelled',
    message: 'nothing was changed',
    exitCode: exitCodes.consent,
  });
}

/** A loss is agreed to when its deletion is. */
function isNamedBy(touched: readonly Touched[], agreement: Agreement) {
  return ({ table, column }: { readonly table?: string; readonly column?: string }) => {
    const name = nameOf(table, column);
    const same = touched.find((it) => it.kind === 'delete' && it.name === name);
    return same === undefined || !isAllowed(same, agreement);
  };
}

function nameOf(table = '', column?: string): string {
  return column === undefined ? table : `${table}.${column}`;
}

function isAllowed({ kind, name }: Touched, agreement: Agreement): boolean {
  if (kind === 'delete' && agreement.acceptDataLoss) return true;
  const names = kind === 'delete' ? agreement.allowDelete : agreement.allowRename;
  return names.includes(name) || names.includes('all');
}

function unanswered(questions: readonly OpenQuestion[], { destructive }: SchemaDiff) {
  const flags = [...new Set(questions.map(({ flag }) => flag))];
  return new CommandFailure({
    code: 'confirmation_required',
    message: questions.map(({ text }) => text).join('\n'),
    hint: `nothing was changed; ${flags.join(' ')} ${flags.length === 1 ? 'agrees' : 'agree'} to exactly that`,
    exitCode: exitCodes.consent,
    details: { destructive, flags },
  });
}
