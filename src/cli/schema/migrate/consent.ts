/** Confirmation of the destructive changes of a migration, by a flag that names them or by an answer. */

import type { SchemaDiff, WireDiffFinding } from '#client';
import { CommandFailure } from '../../frame/command-failure.ts';
import { requireYes } from '../../frame/consent.ts';
import { exitCodes } from '../../frame/exit-codes.ts';
import { paintMessage } from '../../frame/paint.ts';
import type { Shell } from '../../frame/shell.ts';
import { clashText } from '../../project/id-clash.ts';
import { lossLine } from '../show-diff.ts';
import type { AffectedKind, AffectedMember, AffectedObject, Whose } from './affected-object.ts';

/** The changes that the flags of the command confirm. */
export interface Agreement {
  /** Whether all data losses that the diff lists are confirmed. */
  readonly acceptDataLoss: boolean;
  /** The confirmed kinds of changes that can affect programs or other developers. */
  readonly acceptChanges: readonly AffectedKind[];
}

const lossFlag = '--accept-data-loss';

interface Asked {
  readonly diff: SchemaDiff;
  readonly touched: readonly AffectedObject[];
}

/** A change that no flag confirms yet, with the flag that would. */
interface OpenQuestion {
  readonly text: string;
  readonly flag: string;
  /** Whether the change undoes work of another developer in this database. */
  readonly isColleagues: boolean;
}

export function openQuestions(
  { diff, touched }: Asked,
  { acceptDataLoss, acceptChanges }: Agreement,
): readonly OpenQuestion[] {
  const { destructive } = diff;
  const isLoss = (it: AffectedObject) =>
    it.kind !== 'reuse_table_name' &&
    destructive.some(
      ({ kind, table, column }) => it.kind === kind && nameOf(table, column) === it.member.name,
    );
  const losses = acceptDataLoss ? [] : destructive;
  const others = touched.filter((it) => !isLoss(it) && !acceptChanges.includes(it.kind));
  const questionOf = (it: AffectedObject) => ({
    text: textOf(it),
    flag: `--accept-changes ${it.kind}`,
    isColleagues: it.kind !== 'reuse_table_name' && (it.whose === 'never' || it.whose === 'since'),
  });
  const isReused = ({ kind }: AffectedObject) => kind === 'reuse_table_name';
  const opensRows = disablesPolicies(diff) && !acceptChanges.includes('disable_policies');
  return [
    ...(opensRows ? [openRows] : []),
    ...others.filter(isReused).map(questionOf),
    ...losses.map((finding) => ({
      text: lossLine(finding),
      flag: lossFlag,
      isColleagues: false,
    })),
    ...others.filter((it) => !isReused(it)).map(questionOf),
  ];
}

const openRows: OpenQuestion = {
  text: 'row policies will be disabled: each client will read and change all rows of the tables that its grants permit',
  flag: '--accept-changes disable_policies',
  isColleagues: false,
};

/** Returns whether all policies are removed. A table that only loses its own policy becomes invisible. */
function disablesPolicies({ changes }: SchemaDiff): boolean {
  return changes.some(({ kind, table }) => kind === 'policy_removed' && table === undefined);
}

/** Returns the accepted losses, which are the listed ones. Throws if a question stays open or is answered with no. */
export async function consent(
  shell: Shell,
  asked: Asked,
  agreement: Agreement,
): Promise<readonly WireDiffFinding[]> {
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

function textOf(touched: AffectedObject): string {
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
    'this copy of the project has no record of it in its schema file, so another developer may need it',
  unmet: 'this project has no record of this database, so it may belong to another project',
  since: 'another developer changed it after this copy of the project last recorded this database',
};

function changeText({ kind, member: { part, value, name, table }, to }: AffectedMember): string {
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
      return `${value} ${name} on ${table} no longer exists and will be built again`;
    case 'delete_foreign_key':
      return `foreign key ${name} on ${table} will be deleted`;
    case 'create_foreign_key':
      return `foreign key ${name} on ${table} no longer exists and will be created again`;
    case 'change_foreign_key':
    case 'loosen_foreign_key':
      return `foreign key ${name} on ${table} will be ${to}`;
  }
}

/** Returns the effect on programs and data, or `undefined` if it depends on rows. */
function consequence({ kind, to }: AffectedMember): string | undefined {
  switch (kind) {
    case 'rename_table':
    case 'rename_column':
      return 'programs that use the old name will fail';
    case 'delete_index':
      return 'the database will no longer keep its values distinct';
    case 'delete_foreign_key':
      return 'the database will no longer check its references';
    case 'loosen_foreign_key':
      return `deletions that are refused now will ${to === 'cascade' ? 'also delete the referencing rows' : 'clear the references to the deleted rows'}`;
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
    hint: [`nothing was changed; use ${flags.join(' ')} to confirm`, ...waysAround(questions)].join(
      '\n',
    ),
    exitCode: exitCodes.consent,
    details: { destructive, flags },
  });
}

/** Returns alternatives to a confirmation. */
export function waysAround(questions: readonly OpenQuestion[]): readonly string[] {
  return questions.some(({ isColleagues }) => isColleagues)
    ? ['`svc schema pull` imports the changes of other developers into the schema file instead']
    : [];
}

/** Lists the questions. In text mode, the diff above has already listed the losses. */
function named(questions: readonly OpenQuestion[]): string {
  const others = questions.filter(({ flag }) => flag !== lossFlag);
  const losses =
    others.length === questions.length ? [] : ['the data loss above requires confirmation'];
  return [...losses, ...textsOf(others)].join('\n');
}

function textsOf(questions: readonly OpenQuestion[]): readonly string[] {
  return questions.map(({ text }) => text);
}
