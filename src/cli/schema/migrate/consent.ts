/** Agreement to what a migration takes away: by a flag that names it, or by an answer. */

import type { SchemaDiff, SchemaFinding } from '#client';
import { CommandFailure } from '../../frame/command-failure.ts';
import { requireYes } from '../../frame/consent.ts';
import { exitCodes } from '../../frame/exit-codes.ts';
import { paintMessage } from '../../frame/paint.ts';
import type { Shell } from '../../frame/shell.ts';
import { clashText } from '../../project/id-clash.ts';
import { lossLine } from '../show-diff.ts';
import type { Touched, TouchedKind, TouchedMember, Whose } from './touched.ts';

/** What the flags of the command agree to. */
export interface Agreement {
  /** All losses that the difference names. */
  readonly acceptDataLoss: boolean;
  /** Kinds of changes that touch what programs rely on. */
  readonly acceptChanges: readonly TouchedKind[];
}

const lossFlag = '--accept-data-loss';

interface Asked {
  readonly diff: SchemaDiff;
  readonly touched: readonly Touched[];
}

/** What no flag agrees to yet, each as a line and the flag that would. */
interface OpenQuestion {
  readonly text: string;
  readonly flag: string;
  /** Somebody else's work in this database goes. */
  readonly isColleagues: boolean;
}

export function openQuestions(
  { diff, touched }: Asked,
  { acceptDataLoss, acceptChanges }: Agreement,
): readonly OpenQuestion[] {
  const { destructive } = diff;
  const isLoss = (it: Touched) =>
    it.kind !== 'reuse_table_name' &&
    destructive.some(
      ({ kind, table, column }) => it.kind === kind && nameOf(table, column) === it.member.name,
    );
  const losses = acceptDataLoss ? [] : destructive;
  const others = touched.filter((it) => !isLoss(it) && !acceptChanges.includes(it.kind));
  const questionOf = (it: Touched) => ({
    text: textOf(it),
    flag: `--accept-changes ${it.kind}`,
    isColleagues: it.kind !== 'reuse_table_name' && (it.whose === 'never' || it.whose === 'since'),
  });
  const isReused = ({ kind }: Touched) => kind === 'reuse_table_name';
  return [
    ...others.filter(isReused).map(questionOf),
    ...losses.map((finding) => ({
      text: lossLine(finding),
      flag: lossFlag,
      isColleagues: false,
    })),
    ...others.filter((it) => !isReused(it)).map(questionOf),
  ];
}

/** The losses that are accepted: those that were named. Throws when one question stays open, or is answered with no. */
export async function consent(
  shell: Shell,
  asked: Asked,
  agreement: Agreement,
): Promise<readonly SchemaFinding[]> {
  const questions = openQuestions(asked, agreement);
  if (questions.length === 0) return asked.diff.destructive;
  if (!shell.isInteractive) throw unanswered(shell, questions, asked.diff);
  for (const { text, flag } of questions) {
    shell.say(flag === lossFlag ? paintMessage('red', text) : text);
  }
  for (const way of waysAround(questions)) shell.say(way);
  await requireYes(shell, 'Continue?', 'migration_cancelled');
  return asked.diff.destructive;
}

function nameOf(table = '', column?: string): string {
  return column === undefined ? table : `${table}.${column}`;
}

function textOf(touched: Touched): string {
  if (touched.kind === 'reuse_table_name') return clashText(touched.clash);
  const { whose } = touched;
  const what = changeText(touched);
  if (whose !== 'own') return `${what}; ${whoseTexts[whose]}`;
  const { table } = touched.member;
  const why = consequence(touched);
  return why === undefined ? `${what}; table ${table} has rows` : `${what}: ${why}`;
}

const whoseTexts: Readonly<Record<Exclude<Whose, 'own'>, string>> = {
  never:
    'as far as this copy of the project knows, its schema file never had it, so somebody else may need it',
  unmet: 'this project has not met this database before, so it may be that of another one',
  since: 'somebody else changed that since this copy of the project last saw this database',
};

function changeText({ kind, member: { part, value, name, table }, to }: TouchedMember): string {
  switch (kind) {
    case 'rename_table':
    case 'rename_column':
      return `${part} ${name} will be called ${to}`;
    case 'delete_table':
    case 'delete_column':
      return `${part} ${name} will be deleted`;
    case 'change_column':
      return `${part} of column ${name} will be ${to} instead of ${value}`;
    case 'delete_index':
      return `${value} ${name} on ${table} will be deleted`;
    case 'create_index':
      return `${value} ${name} on ${table} is not there any more and will be built again`;
    case 'delete_foreign_key':
      return `foreign key ${name} on ${table} will be deleted`;
    case 'create_foreign_key':
      return `foreign key ${name} on ${table} is not there any more and will come again`;
    case 'change_foreign_key':
    case 'loosen_foreign_key':
      return `foreign key ${name} on ${table} will be ${to}`;
  }
}

/** What follows for those who rely on it; undefined where that depends on rows. */
function consequence({ kind, to }: TouchedMember): string | undefined {
  switch (kind) {
    case 'rename_table':
    case 'rename_column':
      return 'programs that use the old name fail from then on';
    case 'delete_index':
      return 'nothing keeps its values distinct from then on';
    case 'delete_foreign_key':
      return 'nothing checks its references from then on';
    case 'loosen_foreign_key':
      return `deletions that are refused now will ${to === 'cascade' ? 'take the rows that refer to what goes' : 'clear the references to what goes'}`;
    default:
      return undefined;
  }
}

function unanswered(
  { mode }: Shell,
  questions: readonly OpenQuestion[],
  { destructive }: SchemaDiff,
) {
  const flags = [...new Set(questions.map(({ flag }) => flag))];
  return new CommandFailure({
    code: 'confirmation_required',
    message: mode === 'text' ? named(questions) : textsOf(questions).join('\n'),
    hint: [
      `nothing was changed; ${flags.join(' ')} ${flags.length === 1 ? 'agrees' : 'agree'} to that`,
      ...waysAround(questions),
    ].join('\n'),
    exitCode: exitCodes.consent,
    details: { destructive, flags },
  });
}

/** What to do instead of agreeing. */
export function waysAround(questions: readonly OpenQuestion[]): readonly string[] {
  return questions.some(({ isColleagues }) => isColleagues)
    ? ['`svc schema pull` takes what somebody else made into the schema file instead']
    : [];
}

/** As text, the difference above has named the losses. */
function named(questions: readonly OpenQuestion[]): string {
  const others = questions.filter(({ flag }) => flag !== lossFlag);
  const losses = others.length === questions.length ? [] : ['the data loss above needs consent'];
  return [...losses, ...textsOf(others)].join('\n');
}

function textsOf(questions: readonly OpenQuestion[]): readonly string[] {
  return questions.map(({ text }) => text);
}
