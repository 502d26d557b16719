/** The options of EXPLAIN. */

import type { ExplainStmt, Node } from 'libpg-query';
import { positionOf } from '../parse/position.ts';
import { sqlError, unsupported } from '../sql-error.ts';
import type { SqlStatement } from '../statement.ts';
import { constantText } from './node.ts';

type ExplainFormat = 'text' | 'json' | 'pir';
const formats: readonly ExplainFormat[] = ['text', 'json', 'pir'];
/** Options of PostgreSQL that have no effect. */
const otherOptions = new Set(
  'verbose costs settings generic_plan buffers serialize wal timing summary memory'.split(' '),
);

/** `text` is the text of the message, for positions. */
export function explained(node: ExplainStmt, statement: SqlStatement, text: string): SqlStatement {
  let isAnalyze = false;
  let format: ExplainFormat = 'text';
  for (const option of node.options ?? []) {
    const { defname = '', arg, location } = 'DefElem' in option ? option.DefElem : {};
    const position = positionOf(text, location);
    if (defname === 'analyze') isAnalyze = isOn(defname, arg, position);
    else if (defname === 'format') format = formatOf(constantText(arg) ?? '', position);
    else if (defname === 'pir') format = 'pir';
    else if (!otherOptions.has(defname)) {
      throw sqlError('42601', `unrecognized EXPLAIN option "${defname}"`, { position });
    }
  }
  return { kind: 'explain', statement, isAnalyze, format };
}

function isOn(name: string, value: Node | undefined, position: number | undefined): boolean {
  const word = constantText(value)?.toLowerCase();
  if (word === undefined || ['true', 'on', '1'].includes(word)) return true;
  if (['false', 'off', '0'].includes(word)) return false;
  throw sqlError('42601', `${name} requires a Boolean value`, { position });
}

function formatOf(name: string, position: number | undefined): ExplainFormat {
  const lower = name.toLowerCase();
  const format = formats.find((one) => one === lower);
  if (format !== undefined) return format;
  if (lower === 'xml' || lower === 'yaml') {
    throw unsupported(`EXPLAIN (FORMAT ${lower.toUpperCase()})`, {
      position,
      hint: 'Use FORMAT TEXT, JSON or PIR.',
    });
  }
  throw sqlError('22023', `unrecognized value for EXPLAIN option "format": "${name}"`, {
    position,
  });
}
