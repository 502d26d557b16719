/** The catalog in direct mode, one change each. */

import { jsonType, type Operation } from '../operation.ts';
import { column, deadline, index, table } from '../parameters.ts';

const tag = 'Tables, in direct mode';

type Change = Omit<Operation, 'tag' | 'answers' | 'body'> & { readonly body?: string };

function change({ body, ...operation }: Change): Operation {
  const isGone = operation.id === 'deleteTable';
  return {
    ...operation,
    tag,
    parameters: [...(operation.parameters ?? []), deadline],
    ...(body !== undefined && { body: { type: jsonType, definition: body } }),
    answers: isGone
      ? { 204: { description: 'It is gone.' } }
      : { 200: { description: 'The table as it is now.', body: 'TableInfo' } },
  };
}

const id = { id: 1, name: 'id', type: 'int64', default: { func: 'increment' } };
const email = { id: 2, name: 'email', type: 'text' };

export const catalogOperations: readonly Operation[] = [
  {
    method: 'GET',
    path: '/tables',
    id: 'listTables',
    tag,
    summary: 'All tables',
    description:
      'Tables with columns, keys and indexes, in both modes. With `--catalog-mode schema` the schema file is the only way to change them, and the requests below that do so answer 422. So do those that name a table, a column or an index that is not there: 404 is for routes and transitions.',
    answers: { 200: { description: 'The tables, by id.', body: 'TableList' } },
    examples: [{ answer: { tables: [] } }],
  },
  change({
    method: 'POST',
    path: '/tables',
    id: 'createTable',
    summary: 'Create a table',
    description:
      'Columns, primary key, indexes and foreign keys in one call; a definition that is refused leaves nothing behind.',
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
    summary: 'Rename a table',
    description: 'At once, and foreign keys follow.',
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
    summary: 'Delete a table',
    description: 'Whatever rows it has. A table that another one refers to goes after that one.',
    parameters: [table],
  }),
  change({
    method: 'POST',
    path: '/tables/{table}/columns',
    id: 'createColumn',
    summary: 'Add a column',
    description:
      'At the end; nullable, or with a constant as its default, which the rows that are there then have.',
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
    summary: 'Rename a column',
    description: 'At once; keys and indexes follow. Nothing else of a column can be changed here.',
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
    summary: 'Delete a column',
    description: 'With its values; not one that a key, an index or a foreign key is made of.',
    parameters: [table, column],
  }),
  change({
    method: 'POST',
    path: '/tables/{table}/indexes',
    id: 'createIndex',
    summary: 'Create an index',
    description: 'Fills it before it answers.',
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
    summary: 'Delete an index',
    description: 'Queries take other ways from then on.',
    parameters: [table, index],
  }),
];
