/** Writes that touch every row: each must leave room for others, or be refused. */

import { type LiveAttack, outcomeOf } from '../../attack.ts';
import { mustSend } from '../../programs/data.ts';
import {
  binary,
  col,
  type Expr,
  filter,
  int,
  program,
  project,
  type Relation,
  relation,
  scan,
  statement,
} from '../../programs/lir.ts';
import { together, writes } from '../strikes.ts';

function itemsBelow(id: number, fields: Readonly<Record<string, Expr>>): Relation {
  const nodes = {
    s: scan('item', 's'),
    f: filter('s', binary('lt', col('s', 'id'), int(id))),
    p: project('f', { id: col('s', 'id'), ...fields }),
  };
  return relation(nodes, 'p');
}

const deletion = (rows: number) => program([statement('delete', 'item', itemsBelow(rows, {}))]);

export const deleteMillion: LiveAttack = {
  kind: 'live',
  part: 'work',
  name: 'delete-all',
  does: 'delete of all rows of a table with an index',
  goals: { ...writes, refusedPoints: undefined },
  strike: (stage) => together(1, () => deletion(stage.rows))(stage),
};

export const delete400k: LiveAttack = {
  ...deleteMillion,
  name: 'delete-two-fifths',
  does: 'delete of two fifths of the rows, others stay readable',
  strike: (stage) => together(1, () => deletion(Math.floor(stage.rows * 0.4)))(stage),
};

export const updateAll: LiveAttack = {
  ...deleteMillion,
  name: 'update-all',
  does: 'update of an indexed column of all rows',
  strike: (stage) => {
    const grp = binary('add', col('s', 'grp'), int(1));
    const change = itemsBelow(stage.rows, { grp });
    return together(1, () => program([statement('update', 'item', change)]))(stage);
  },
};

/** In pieces of what the memory of a program surely holds: many at once instead of one. */
export const updatePieces: LiveAttack = {
  ...deleteMillion,
  name: 'update-pieces',
  does: 'updates of 100 × 1 % of the rows, all at once',
  strike: (stage) => {
    const piece = Math.ceil(stage.rows / 100);
    return together(100, (i) => program([statement('update', 'item', pieceOf(i, piece))]))(stage);
  },
};

function pieceOf(i: number, piece: number): Relation {
  const id = col('s', 'id');
  const within = binary(
    'and',
    binary('gte', id, int(i * piece)),
    binary('lt', id, int((i + 1) * piece)),
  );
  const nodes = {
    s: scan('item', 's'),
    f: filter('s', within),
    p: project('f', { id, grp: binary('add', col('s', 'grp'), int(1)) }),
  };
  return relation(nodes, 'p');
}

export const createIndex: LiveAttack = {
  ...deleteMillion,
  name: 'create-index',
  does: 'an index over all rows, made at once',
  strike: async (stage) => {
    const body = JSON.stringify({ name: 'item_name', columns: ['name'] });
    return outcomeOf([await stage.ask({ path: '/tables/item/indexes', body })]);
  },
};

/** Each row refers to the one before: a delete of the first goes through as many waves as there are rows. */
export const cascadeChain: LiveAttack = {
  ...deleteMillion,
  name: 'cascade-chain',
  does: 'delete of the first row of a chain of 50,000 that refer to each other with cascade',
  prepare: async ({ port }) => {
    await mustSend(port, '/tables', JSON.stringify(chainTable));
    for (let from = 0; from < 50_000; from += 10_000) {
      await mustSend(port, '/execute', createLinks(from, from + 10_000));
    }
  },
  strike: together(1, () => {
    const nodes = {
      s: scan('chain', 's'),
      f: filter('s', binary('eq', col('s', 'id'), int(0))),
      p: project('f', { id: col('s', 'id') }),
    };
    return program([statement('delete', 'chain', relation(nodes, 'p'))]);
  }),
};

const chainTable = {
  name: 'chain',
  columns: [
    { name: 'id', type: 'int64', nullable: false },
    { name: 'before', type: 'int64', nullable: true },
  ],
  primary_key: ['id'],
  indexes: [{ name: 'chain_before', columns: ['before'] }],
  foreign_keys: [
    {
      name: 'link',
      columns: ['before'],
      ref_table: 'chain',
      ref_columns: ['id'],
      on_delete: 'cascade',
    },
  ],
};

function createLinks(from: number, to: number): string {
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 'before', type: 'int64', nullable: true },
  ];
  const rows = Array.from({ length: to - from }, (_, i) => {
    const id = from + i;
    return [`${id}`, id === 0 ? null : `${id - 1}`];
  });
  return program([
    statement('create', 'chain', relation({ r: { kind: 'rows', scope: 'r', columns, rows } }, 'r')),
  ]);
}
