/** The forum of the specimen, as emitters are given it. */

import type {
  ClientModel,
  ModelColumn,
  ModelRelation,
} from '../../../src/codegen/model/client-model.ts';
import { defaultTarget, type Target } from '../../../src/codegen/target/target.ts';

/** What is the same in most columns, and means nothing to Go. */
export const plainColumn = {
  format: undefined,
  identifierFormat: undefined,
  isCounted: false,
  identity: undefined,
};

const column = (
  id: number,
  name: string,
  type: ModelColumn['type'],
  more: Partial<ModelColumn> = {},
): ModelColumn => ({ ...plainColumn, id, name, type, nullable: false, hasDefault: false, ...more });

const relation = (
  [name, key, direction, kind]: readonly [
    string,
    string,
    ModelRelation['direction'],
    ModelRelation['kind'],
  ],
  table: number,
  own: number,
  theirs: number,
): ModelRelation => ({
  name,
  key,
  keyTable: 0,
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

export const specimen: ClientModel = {
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

export const target: Target = defaultTarget('go', 'db');
