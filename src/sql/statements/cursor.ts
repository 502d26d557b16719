/** DECLARE, FETCH and MOVE. */

import type { DeclareCursorStmt, FetchStmt } from 'libpg-query';
import { unsupported } from '../sql-error.ts';
import type { SqlStatement } from '../statement.ts';

const optionBits = { binary: 0x1, scroll: 0x2, hold: 0x20 };

export function declared(node: DeclareCursorStmt, statement: SqlStatement): SqlStatement {
  const { portalname: name = '', options = 0 } = node;
  const has = (option: keyof typeof optionBits) => (options & optionBits[option]) !== 0;
  return {
    kind: 'declare',
    name,
    isHold: has('hold'),
    isScroll: has('scroll'),
    isBinary: has('binary'),
    statement,
  };
}

/** The count that the parser gives to ALL. */
const allRows = 2_147_483_647;

export function fetched(node: FetchStmt): SqlStatement {
  const { direction = 'FETCH_FORWARD', portalname: name = '', ismove: isMove = false } = node;
  const howMany = Number(node.howMany ?? 0);
  if (direction === 'FETCH_ABSOLUTE' || direction === 'FETCH_RELATIVE') {
    throw unsupported('FETCH of an absolute or relative position', {
      hint: 'Use FETCH FORWARD.',
    });
  }
  const forward = direction === 'FETCH_FORWARD' ? howMany : -howMany;
  return { kind: 'fetch', name, count: forward === allRows ? 'all' : forward, isMove };
}
