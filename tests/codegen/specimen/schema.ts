/** A small forum: what the examples of the clients are about. */

import type { SchemaFile } from '../../support/schema-file.ts';

const id = { id: 1, name: 'id', type: 'int64', pk: true, default: 'increment()' } as const;

export const schema = {
  tables: [
    {
      id: 1,
      name: 'users',
      columns: [
        id,
        { id: 2, name: 'handle', type: 'string' },
        { id: 3, name: 'bio', type: 'string', nullable: true },
      ],
      indexes: [{ name: 'users_handle', columns: ['handle'], unique: true }],
    },
    {
      id: 2,
      name: 'posts',
      columns: [
        id,
        { id: 2, name: 'author_id', type: 'int64' },
        { id: 3, name: 'title', type: 'string' },
        { id: 4, name: 'body', type: 'string', nullable: true },
        { id: 5, name: 'score', type: 'int64', default: 0 },
        { id: 6, name: 'rating', type: 'float64', nullable: true },
        { id: 7, name: 'created_at', type: 'int64' },
      ],
      foreign_keys: [
        {
          name: 'posts_author_id_fk',
          columns: ['author_id'],
          ref_table: 'users',
          ref_columns: ['id'],
          on_delete: 'cascade',
        },
      ],
      indexes: [{ name: 'posts_created', columns: ['created_at'] }],
    },
    {
      id: 3,
      name: 'comments',
      columns: [
        { id: 1, name: 'id', type: 'bytes', pk: true, format: 'uuid', default: 'uuid_v7()' },
        { id: 2, name: 'post_id', type: 'int64' },
        { id: 3, name: 'author_id', type: 'int64', nullable: true },
        { id: 4, name: 'parent_id', type: 'bytes', format: 'uuid', nullable: true },
        { id: 5, name: 'body', type: 'string' },
      ],
      foreign_keys: [
        {
          name: 'comments_post_id_fk',
          columns: ['post_id'],
          ref_table: 'posts',
          ref_columns: ['id'],
          on_delete: 'cascade',
        },
        {
          name: 'comments_author_id_fk',
          columns: ['author_id'],
          ref_table: 'users',
          ref_columns: ['id'],
          on_delete: 'set_null',
        },
      ],
    },
    {
      id: 4,
      name: 'accounts',
      columns: [
        { id: 1, name: 'id', type: 'int64', pk: true },
        { id: 2, name: 'balance', type: 'int64' },
      ],
    },
    {
      id: 5,
      name: 'counters',
      columns: [
        { id: 1, name: 'name', type: 'string', pk: true },
        { id: 2, name: 'n', type: 'int64' },
      ],
    },
  ],
} as unknown as SchemaFile;
