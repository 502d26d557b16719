/** The store that is attacked: a million rows of 300 bytes, an index, a few numbers. Loaded once over HTTP, copied for each attack. */

import { ask as askServer } from '../target/request.ts';
import {
  ask,
  binary,
  col,
  count,
  filter,
  int,
  numbers,
  program,
  project,
  query,
  relation,
  scan,
  statement,
} from './lir.ts';

const rowsPerProgram = 10_000;
const noteLength = 200;

const column = (id: number, name: string, type: string) => ({ id, name, type, nullable: false });

export const itemTable = {
  id: 1,
  name: 'item',
  columns: [
    column(1, 'id', 'int64'),
    column(2, 'grp', 'int64'),
    column(3, 'same', 'int64'),
    column(4, 'price', 'float64'),
    column(5, 'name', 'text'),
    column(6, 'note', 'text'),
  ],
  primary_key: ['id'],
  indexes: [{ name: 'item_grp', columns: ['grp'] }],
};

/** `digit` has 1,000 rows, for products of any size. */
const digitTable = {
  id: 2,
  name: 'digit',
  columns: [column(1, 'id', 'int64')],
  primary_key: ['id'],
};

export async function load(port: number, rows: number): Promise<void> {
  await mustSend(port, '/tables', JSON.stringify(itemTable));
  await mustSend(port, '/tables', JSON.stringify(digitTable));
  await mustSend(port, '/execute', createDigits());
  let from = 0;
  const client = async () => {
    while (from < rows) {
      const mine = from;
      from += rowsPerProgram;
      await mustSend(port, '/execute', createItems(mine, Math.min(rows, mine + rowsPerProgram)));
    }
  };
  await Promise.all([client(), client()]);
}

/** Sends until it is taken; anything but a wish to wait is an error. */
export async function mustSend(port: number, path: string, body: string): Promise<string> {
  for (;;) {
    const { status, text } = await askServer(port, { path, body });
    if (status === 200) return text;
    if (status !== 503 && status !== 409)
      throw new Error(`${path}: ${status} ${text.slice(0, 500)}`);
    await Bun.sleep(100);
  }
}

function createDigits(): string {
  const nodes = { r: numbers('r', 0, 1000), p: project('r', { id: col('r', 'n') }) };
  return program([statement('create', 'digit', relation(nodes, 'p'))]);
}

/** The rows come back as a count, so that loading does not measure answers. */
function createItems(from: number, to: number): string {
  const rows = Array.from({ length: to - from }, (_, i) => itemCells(from + i));
  const columns = itemTable.columns.map(({ name, type }) => ({ name, type }));
  const create = statement(
    'create',
    'item',
    relation({ r: { kind: 'rows', scope: 'r', columns, rows } }, 'r'),
  );
  const counted = relation(
    { w: { kind: 'ref', binding: 'w', scope: 'w' }, c: count('w') },
    'c',
    'scalar',
  );
  return program([create, query(counted)]);
}

/** Names come in no order of the ids; notes differ, and do not compress to nothing. */
function itemCells(id: number): string[] {
  const mixed = Math.imul(id ^ (id >>> 15), 0x2c1b3c6d) >>> 0;
  const name = `${mixed.toString(36).padStart(7, '0')}-${id}`;
  const note = `${name} `.repeat(20).slice(0, noteLength);
  return [`${id}`, `${id % 1000}`, '7', `${(mixed % 100_000) / 4}`, name, note];
}

/** Reads one row by its key. */
export function pointRead(id: number): string {
  const nodes = {
    s: scan('item', 'i'),
    f: filter('s', binary('eq', col('i', 'id'), int(id))),
  };
  return ask(relation(nodes, 'f', 'exactly_one'));
}
