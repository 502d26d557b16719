/** SET and RESET. */

import type { Node, VariableSetStmt } from 'libpg-query';
import { positionOf } from '../parse/position.ts';
import { unsupported } from '../sql-error.ts';
import type { SqlStatement } from '../statement.ts';
import { transactionModes } from './modes.ts';
import { constantText } from './node.ts';

export function settingChange(node: VariableSetStmt, text: string): SqlStatement {
  const { kind, name = '', args = [], is_local: isLocal = false, location } = node;
  const position = positionOf(text, location);
  switch (kind) {
    case 'VAR_SET_VALUE':
      return { kind: 'set', name, values: args.map((arg) => settingText(arg, position)), isLocal };
    case 'VAR_SET_DEFAULT':
      return { kind: 'set', name, isLocal };
    case 'VAR_RESET':
      return { kind: 'reset', name };
    case 'VAR_RESET_ALL':
      return { kind: 'reset', name: 'all' };
    case 'VAR_SET_MULTI':
      return modesChange(name, args);
    default:
      throw unsupported('SET … FROM CURRENT', { position });
  }
}

function modesChange(name: string, args: readonly Node[]): SqlStatement {
  if (name === 'TRANSACTION SNAPSHOT') {
    throw unsupported('SET TRANSACTION SNAPSHOT', {
      hint: 'Read everything in one transaction: it sees one snapshot.',
    });
  }
  const scope = name === 'TRANSACTION' ? 'transaction' : 'session';
  return { kind: 'set_modes', scope, modes: transactionModes(args) };
}

function settingText(node: Node, position: number | undefined): string {
  const value = constantText(node);
  if (value !== undefined) return value;
  throw unsupported('a time zone given as an interval', {
    position,
    hint: "Name the time zone, for example SET TIME ZONE 'Europe/Berlin'.",
  });
}
