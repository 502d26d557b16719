/** Bombs 13 to 15: writes that grow. */

import type { Stage } from '../../attack.ts';
import { mustSend } from '../../programs/data.ts';
import {
  binary,
  col,
  type Expr,
  filter,
  int,
  join,
  program,
  project,
  relation,
  scan,
  statement,
  yes,
} from '../../programs/lir.ts';
import { writes } from '../strikes.ts';
import { bombs } from './bomb.ts';

export const createProduct = bombs({
  name: 'bomb-create',
  does: '13: create from a cross join',
  goals: writes,
  body: (_stage, i) => {
    const id = binary('add', col('a', 'id'), binary('mul', col('b', 'id'), int(10_000_000 + i)));
    const nodes = {
      a: scan('item', 'a'),
      b: scan('item', 'b'),
      j: join('a', 'b', yes),
      p: project('j', { id }),
    };
    return program([statement('create', 'digit', relation(nodes, 'p'))]);
  },
});

const indexed = Array.from({ length: 16 }, (_, i) => `c${i}`);

/** A tenth of the rows, with 16 indexed columns. */
async function prepareIndexed(stage: Stage): Promise<void> {
  const columns = ['id', ...indexed].map((name) => ({ name, type: 'int64', nullable: false }));
  const indexes = indexed.map((name) => ({ name: `x_${name}`, columns: [name] }));
  const table = { name: 'many', columns, primary_key: ['id'], indexes };
  await mustSend(stage.port, '/tables', JSON.stringify(table));
  const fields = Object.fromEntries(indexed.map((name) => [name, col('s', 'grp')]));
  await copyItems(stage, 'many', stage.rows / 10, fields);
}

/** `create` from `item` in pieces that fit the memory of a program. */
async function copyItems(
  stage: Stage,
  table: string,
  rows: number,
  fields: Readonly<Record<string, Expr>>,
): Promise<void> {
  const piece = 10_000;
  for (let from = 0; from < rows; from += piece) {
    const id = col('s', 'id');
    const within = binary('and', binary('gte', id, int(from)), binary('lt', id, int(from + piece)));
    const nodes = {
      s: scan('item', 's'),
      f: filter('s', within),
      p: project('f', { id, ...fields }),
    };
    const body = program([statement('create', table, relation(nodes, 'p'))]);
    await mustSend(stage.port, '/execute', body);
  }
}

export const updateIndexed = bombs({
  name: 'bomb-update',
  does: '14: update of all rows of a table with 16 indexes',
  goals: writes,
  prepare: prepareIndexed,
  body: () => {
    const more = (name: string) => binary('add', col('s', name), int(1));
    const fields = Object.fromEntries(indexed.map((name) => [name, more(name)]));
    const nodes = { s: scan('many', 's'), p: project('s', { id: col('s', 'id'), ...fields }) };
    return program([statement('update', 'many', relation(nodes, 'p'))]);
  },
});

async function prepareChildren(stage: Stage): Promise<void> {
  const column = (name: string) => ({ name, type: 'int64', nullable: false });
  const key = {
    name: 'of',
    columns: ['parent'],
    ref_table: 'digit',
    ref_columns: ['id'],
    on_delete: 'cascade',
  };
  const table = {
    name: 'child',
    columns: [column('id'), column('parent')],
    primary_key: ['id'],
    indexes: [{ name: 'child_parent', columns: ['parent'] }],
    foreign_keys: [key],
  };
  await mustSend(stage.port, '/tables', JSON.stringify(table));
  await copyItems(stage, 'child', stage.rows, { parent: col('s', 'grp') });
}

export const cascade = bombs({
  name: 'bomb-cascade',
  does: '15: a delete that cascades to all of a million rows',
  goals: writes,
  prepare: prepareChildren,
  body: () => {
    const nodes = {
      s: scan('digit', 's'),
      f: filter('s', binary('gte', col('s', 'id'), int(0))),
      p: project('f', { id: col('s', 'id') }),
    };
    return program([statement('delete', 'digit', relation(nodes, 'p'))]);
  },
});
