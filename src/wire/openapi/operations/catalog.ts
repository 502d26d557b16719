/** Operations that change the catalog in direct mode, one change per request. */

import { jsonType, type Operation, scope } from '../operation.ts';
import { column, deadline, index, table } from '../parameters.ts';

const tag = 'Tables, in direct mode';

type Change = Omit<Operation, 'tag' | 'needs' | 'answers' | 'body'> & { readonly body?: string };

function change({ body, ...operation }: Change): Operation {
  const isGone = operation.id === 'deleteTable';
  return {
    ...operation,
    tag,
    needs: scope('schema'),
    parameters: [...(operation.parameters ?? []), deadline],
    ...(body !== undefined && { body: { type: jsonType, definition: body } }),
    answers: isGone
      ? { 204: { description: 'The table is deleted.' } }
      : { 200: { description: 'The table after the change.', body: 'TableInfo' } },
  };
}

const id = { id: 1, name: 'id', type: 'int64', default: { func: 'increment' } };
const email = { id: 2, name: 'email', type: 'text' };

export const catalogOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/tables',
    id: 'listTables',
    needs: scope('read', 'schema'),
    tag,
    summary: 'Lists all tables',
    description:
      'Returns the tables with their columns, keys and indexes, in both catalog modes. With `--catalog-mode schema`, only migrations change tables, and the following requests return 422. They also return 422 for an unknown table, column or index: 404 is for routes and transitions.',
    answers: { 200: { description: 'The tables, by id.', body: 'TableList' } },
    examples: [{ answer: { tables: [] } }],
  },
  change({
    method: 'POST',
    path: '/tables',
    id: 'createTable',
    summary: 'Creates a table',
    description:
      'One request defines the columns, primary key, indexes and foreign keys. If the server refuses the definition, nothing is changed.',
    body: 'TableDef',
    examples: [
      {
        body: {
          name: 'users',
          columns: [
            { name: 'id', type: 'int64', default: { func: 'increment' } },
            { name: 'email', type: 'text' },
          ],
          primary_key: ['id'],
        },
        answer: { id: 1, name: 'users', columns: [id, email], primary_key: ['id'] },
      },
    ],
  }),
  change({
    method: 'PATCH',
    path: '/tables/{table}',
    id: 'renameTable',
    summary: 'Renames a table',
    description: 'The change is immediate. Foreign keys use the new name.',
    parameters: [table],
    body: 'TableUpdateProps',
    examples: [
      {
        path: '/tables/users',
        body: { name: 'people' },
        answer: { id: 1, name: 'people', columns: [id, email], primary_key: ['id'] },
      },
    ],
  }),
  change({
    method: 'DELETE',
    path: '/tables/{table}',
    id: 'deleteTable',
    summary: 'Deletes a table',
    description:
      'Deletes the table with all of its rows. If another table refers to it, delete that table first.',
    parameters: [table],
  }),
  change({
    method: 'POST',
    path: '/tables/{table}/columns',
    id: 'createColumn',
    summary: 'Adds a column',
    description:
      'The new column is the last one. It must be nullable or have a constant default, which existing rows receive.',
    parameters: [table],
    body: 'ColumnDef',
    examples: [
      {
        path: '/tables/people/columns',
        body: { name: 'nick', type: 'text', nullable: true },
        answer: {
          id: 1,
          name: 'people',
          columns: [id, email, { id: 3, name: 'nick', type: 'text', nullable: true }],
          primary_key: ['id'],
        },
      },
    ],
  }),
  change({
    method: 'PATCH',
    path: '/tables/{table}/columns/{column}',
    id: 'renameColumn',
    summary: 'Renames a column',
    description:
      'The change is immediate. Keys and indexes use the new name. This request cannot change other properties of a column.',
    parameters: [table, column],
    body: 'ColumnUpdateProps',
    examples: [
      {
        path: '/tables/people/columns/nick',
        body: { name: 'alias' },
        answer: {
          id: 1,
          name: 'people',
          columns: [id, email, { id: 3, name: 'alias', type: 'text', nullable: true }],
          primary_key: ['id'],
        },
      },
    ],
  }),
  change({
    method: 'DELETE',
    path: '/tables/{table}/columns/{column}',
    id: 'deleteColumn',
    summary: 'Deletes a column',
    description:
      'Deletes the column with its values. The server refuses to delete a column of a key, an index or a foreign key.',
    parameters: [table, column],
  }),
  change({
    method: 'POST',
    path: '/tables/{table}/indexes',
    id: 'createIndex',
    summary: 'Creates an index',
    description: 'The server responds when the index is complete.',
    parameters: [table],
    body: 'IndexInfo',
    examples: [
      {
        path: '/tables/people/indexes',
        body: { name: 'people_email_uq', columns: ['email'], unique: true },
        answer: {
          id: 1,
          name: 'people',
          columns: [id, email, { id: 3, name: 'alias', type: 'text', nullable: true }],
          primary_key: ['id'],
          indexes: [{ name: 'people_email_uq', columns: ['email'], unique: true }],
        },
      },
    ],
  }),
  change({
    method: 'DELETE',
    path: '/tables/{table}/indexes/{index}',
    id: 'deleteIndex',
    summary: 'Deletes an index',
    description: 'Queries use other access paths from then on.',
    parameters: [table, index],
  }),
];
