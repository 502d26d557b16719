/** A small table for attacks on the store at rest: rows written, acknowledged and counted. */

import {
  ask,
  col,
  count,
  numbers,
  program,
  project,
  query,
  relation,
  scan,
  statement,
  text,
} from '../programs/lir.ts';
import { type Answer, ask as send } from './request.ts';

export const rowsPerWrite = 1000;
/** So that some dozens of writes fill more than one segment of the log. */
const pad = 'x'.repeat(500);

export async function createTable(port: number): Promise<Answer> {
  const columns = [
    { name: 'id', type: 'int64', nullable: false },
    { name: 'pad', type: 'text', nullable: false },
  ];
  const body = JSON.stringify({ name: 'kept', columns, primary_key: ['id'] });
  return send(port, { path: '/tables', body });
}

/** `rowsPerWrite` rows from `from` on, unless told otherwise. */
export function writeRows(
  port: number,
  from: number,
  limitMs = 10_000,
  rows = rowsPerWrite,
): Promise<Answer> {
  const nodes = {
    r: numbers('r', from, from + rows),
    p: project('r', { id: col('r', 'n'), pad: text(pad) }),
  };
  const counted = relation(
    { w: { kind: 'ref', binding: 'w', scope: 'w' }, c: count('w') },
    'c',
    'scalar',
  );
  const body = program([statement('create', 'kept', relation(nodes, 'p')), query(counted)]);
  return send(port, { path: '/execute', body, limitMs });
}

/** Undefined: no count, but the answer tells why. */
export async function countRows(
  port: number,
  table = 'kept',
): Promise<{ readonly rows: number | undefined; readonly answer: Answer }> {
  const body = ask(relation({ s: scan(table, 's'), c: count('s') }, 'c', 'scalar'));
  const answer = await send(port, { path: '/execute', body });
  const rows = /"result": ?(\d+)/.exec(answer.text)?.[1];
  return { rows: answer.status === 200 && rows !== undefined ? Number(rows) : undefined, answer };
}
