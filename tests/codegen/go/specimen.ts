/** The forum of the specimen, as emitters are given it. */

import type {
  GoColumn,
  GoModel,
  GoRelation,
  GoTarget,
} from '../../../src/codegen/go/module/model.ts';

const column = (
  id: number,
  name: string,
  type: GoColumn['type'],
  more: Partial<GoColumn> = {},
): GoColumn => ({ id, name, type, format: undefined, nullable: false, hasDefault: false, ...more });

const relation = (
  [name, key, direction, kind]: readonly [
    string,
    string,
    GoRelation['direction'],
    GoRelation['kind'],
  ],
  table: number,
  own: number,
  theirs: number,
): GoRelation => ({
  name,
  key,
  direction,
  kind,
  table,
  own: [own],
  theirs: [theirs],
  through: undefined,
});

const author = 'posts_author_id_fk';
const by = 'comments_author_id_fk';
const post = 'comments_post_id_fk';

export const specimen: GoModel = {
  version: 1,
  hash: 'by hand',
  tables: [
    {
      id: 1,
      name: 'users',
      columns: [
        column(1, 'id', 'int64', { hasDefault: true }),
        column(2, 'handle', 'text'),
        column(3, 'bio', 'text', { nullable: true }),
      ],
      keys: [[0], [1]],
      relations: [
        relation(['comments', by, 'reverse', 'many'], 2, 0, 2),
        relation(['posts', author, 'reverse', 'many'], 1, 0, 1),
      ],
    },
    {
      id: 2,
      name: 'posts',
      columns: [
        column(1, 'id', 'int64', { hasDefault: true }),
        column(2, 'author_id', 'int64'),
        column(3, 'title', 'text'),
        column(4, 'body', 'text', { nullable: true }),
        column(5, 'score', 'int64', { hasDefault: true }),
        column(6, 'rating', 'float64', { nullable: true }),
        column(7, 'created_at', 'int64'),
      ],
      keys: [[0]],
      relations: [
        relation(['author', author, 'forward', 'one'], 0, 1, 0),
        relation(['comments', post, 'reverse', 'many'], 2, 0, 1),
      ],
    },
    {
      id: 3,
      name: 'comments',
      columns: [
        column(1, 'id', 'bytes', { format: 'uuid', hasDefault: true }),
        column(2, 'post_id', 'int64'),
        column(3, 'author_id', 'int64', { nullable: true }),
        column(4, 'parent_id', 'bytes', { format: 'uuid', nullable: true }),
        column(5, 'body', 'text'),
      ],
      keys: [[0]],
      relations: [
        relation(['author', by, 'forward', 'maybe'], 0, 2, 0),
        relation(['post', post, 'forward', 'one'], 1, 1, 0),
      ],
    },
    {
      id: 4,
      name: 'accounts',
      columns: [column(1, 'id', 'int64'), column(2, 'balance', 'int64')],
      keys: [[0]],
      relations: [],
    },
    {
      id: 5,
      name: 'counters',
      columns: [column(1, 'name', 'text'), column(2, 'n', 'int64')],
      keys: [[0]],
      relations: [],
    },
  ],
};

export const target: GoTarget = {
  package: 'db',
  unixMs: 'number',
  names: new Map(),
  relations: new Map(),
};
