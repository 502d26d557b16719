/** A diff as people read it: what is added is green, what goes is red, losses in words. */

import { styleText } from 'node:util';
import type { SchemaChange, SchemaDiff, SchemaFinding } from '#client';

export function diffText({ changes, destructive, blocking }: SchemaDiff): string {
  if (changes.length === 0) return 'No schema changes.';
  return [
    section('Schema changes', changes.map(changeLine)),
    section(
      'Data loss',
      destructive.map((finding) => lossLine(finding)),
    ),
    section(
      'Cannot apply',
      blocking.map((finding) => styleText('red', findingLine(finding))),
    ),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function section(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return [styleText('bold', title), ...lines.map((line) => `- ${line}`)].join('\n');
}

function changeLine({ kind, summary }: SchemaChange): string {
  const verb = kind.split('_')[0];
  if (verb === 'create') return styleText('green', summary);
  if (verb === 'delete') return styleText('red', summary);
  if (verb === 'start') return `${styleText('cyan', summary)} (online)`;
  return styleText('yellow', summary);
}

/** `column users.bio will be deleted: 12,304 rows hold a value`. */
export function lossLine({ kind, summary, table, column, rows = 0 }: SchemaFinding): string {
  const count = counted(rows);
  if (kind === 'delete_table') {
    return styleText('red', `table ${table} will be deleted with its ${count}`);
  }
  if (kind === 'delete_column') {
    const verb = rows === 1 ? 'holds' : 'hold';
    return styleText('red', `column ${table}.${column} will be deleted: ${count} ${verb} a value`);
  }
  return styleText('red', summary);
}

export function findingLine({ summary, rows }: SchemaFinding): string {
  const isTold = rows === undefined || rows === 0 || summary.includes(String(rows));
  return isTold ? summary : `${summary} (${counted(rows)})`;
}

function counted(rows: number): string {
  return `${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}`;
}
