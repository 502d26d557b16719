/** Formats a diff for people. Additions are green, deletions are red, and losses are described in words. */

import type { SchemaDiff, WireDiffFinding, WireSchemaChange } from '#client';
import type { Paint } from '../frame/paint.ts';
import { counted } from '../frame/quantity.ts';

export function diffText({ changes, destructive, blocking }: SchemaDiff, paint: Paint): string {
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0
      ? ''
      : [paint('bold', title), ...lines.map((line) => `- ${line}`)].join('\n');
  if (changes.length === 0) return 'No schema changes.';
  return [
    section(
      'Schema changes',
      changes.map((change) => changeLine(change, paint)),
    ),
    section(
      'Data loss',
      destructive.map((finding) => paint('red', lossLine(finding))),
    ),
    section(
      'Cannot apply',
      blocking.map((finding) => paint('red', findingLine(finding))),
    ),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function changeLine({ kind, summary }: WireSchemaChange, paint: Paint): string {
  const verb = policyVerbs[kind] ?? kind.split('_')[0];
  if (verb === 'create') return paint('green', summary);
  if (verb === 'delete') return paint('red', summary);
  if (verb === 'start') return `${paint('cyan', summary)} (online)`;
  return paint('yellow', summary);
}

const policyVerbs: Readonly<Record<string, string>> = {
  policy_added: 'create',
  policy_removed: 'delete',
};

/** Formats a loss, such as `column users.bio will be deleted: 12,304 rows hold a value`. */
export function lossLine({ kind, summary, table, column, rows = 0 }: WireDiffFinding): string {
  const count = counted(rows, 'row');
  if (kind === 'delete_table') {
    return `table ${table} will be deleted with its ${count}`;
  }
  if (kind === 'delete_column') {
    const verb = rows === 1 ? 'holds' : 'hold';
    return `column ${table}.${column} will be deleted: ${count} ${verb} a value`;
  }
  return summary;
}

export function findingLine({ summary, rows }: WireDiffFinding): string {
  const isTold = rows === undefined || rows === 0 || summary.includes(String(rows));
  return isTold ? summary : `${summary} (${counted(rows, 'row')})`;
}
