/** The catalog endpoints of direct mode: each request makes one catalog change (docs/http.md). */

import { Elysia } from 'elysia';
import { orDidYouMean } from '#base';
import { type CatalogChange, type Table, tableById, tableByName, toTableInfo } from '#catalog';
import type { RequestContext } from '#engine';
import { fail } from '#failure';
import {
  checkColumnDefinition,
  checkColumnUpdate,
  checkIndexDefinition,
  checkTableDefinition,
  checkTableUpdate,
} from '#wire';
import type { HttpContext } from '../context.ts';
import { requireWriter } from '../edge/access.ts';
import { parseBody, readBody } from '../edge/body.ts';
import { checkNoParameters, pathnameOf, pathSegments } from '../edge/parameters.ts';
import { jsonReply, noContent } from '../edge/reply.ts';
import { requestFacts, withTicket } from '../edge/request-facts.ts';

const segmentNames = ['', 'table', '', 'column'];

interface CatalogRequest {
  readonly body: unknown;
  /** The table named by the path. */
  readonly table: Table;
  /** The last segment of the path: a column or index name. */
  readonly member: string;
}

export function catalogRoutes(context: HttpContext) {
  const run = (hasBody: boolean, change: (request: CatalogRequest) => CatalogChange) => {
    return async ({ request }: { request: Request }) => {
      authorize(context);
      const facts = requestFacts(context, request);
      const text = hasBody ? await readBody(request, 'application/json', context) : 'null';
      checkNoParameters(request.url);
      const segments = pathSegments(pathnameOf(request.url), segmentNames);
      const parse = async ({ budget }: RequestContext) => {
        const turn = context.catalogTurns.enter(budget);
        if (turn !== undefined) await turn;
        return parseBody(context, text, budget);
      };
      const body = await withTicket(context, facts, parse);
      const resolve = (): CatalogChange =>
        change({
          body,
          member: segments[3] ?? '',
          get table() {
            return tableOfPath(context, segments[1] as string);
          },
        });
      const { catalog, tableId } = await withTicket(context, facts, (requestContext) =>
        context.engine().changeCatalog(resolve, requestContext),
      );
      const table = tableById(catalog, tableId);
      return table === undefined
        ? noContent()
        : jsonReply(JSON.stringify(toTableInfo(catalog, table)));
    };
  };
  return new Elysia({ name: 'catalog' })
    .post('/tables', run(true, createTable), raw)
    .patch('/tables/:table', run(true, renameTable), raw)
    .delete('/tables/:table', run(false, deleteTable), raw)
    .post('/tables/:table/columns', run(true, createColumn), raw)
    .patch('/tables/:table/columns/:column', run(true, renameColumn), raw)
    .delete('/tables/:table/columns/:column', run(false, deleteColumn), raw)
    .post('/tables/:table/indexes', run(true, createIndex), raw)
    .delete('/tables/:table/indexes/:index', run(false, deleteIndex), raw);
}

// The body is checked before the path is resolved: `table` is looked up when it is first accessed.

function createTable(request: CatalogRequest): CatalogChange {
  return { kind: 'create_table', table: checkTableDefinition(request.body) };
}

function renameTable(request: CatalogRequest): CatalogChange {
  const { name } = checkTableUpdate(request.body);
  return { kind: 'rename_table', table_id: request.table.id, to: name };
}

function deleteTable(request: CatalogRequest): CatalogChange {
  return { kind: 'delete_table', table_id: request.table.id };
}

function createColumn(request: CatalogRequest): CatalogChange {
  const column = checkColumnDefinition(request.body);
  return { kind: 'create_column', table_id: request.table.id, column };
}

function renameColumn(request: CatalogRequest): CatalogChange {
  const { name } = checkColumnUpdate(request.body);
  const { table, member } = request;
  return {
    kind: 'rename_column',
    table_id: table.id,
    column_id: columnOf(table, member),
    to: name,
  };
}

function deleteColumn({ table, member }: CatalogRequest): CatalogChange {
  return { kind: 'delete_column', table_id: table.id, column_id: columnOf(table, member) };
}

function createIndex(request: CatalogRequest): CatalogChange {
  const index = checkIndexDefinition(request.body);
  return { kind: 'create_index', table_id: request.table.id, index };
}

function deleteIndex({ table, member }: CatalogRequest): CatalogChange {
  return { kind: 'delete_index', table_id: table.id, index: member };
}

const raw = { parse: 'none' } as const;

/** Checks the write access and then the mode, before the body is read (docs/errors.md). */
function authorize(context: HttpContext): void {
  const engine = context.engine();
  requireWriter(context, 'catalog changes');
  if (engine.mode === 'schema') {
    throw fail(
      'invalid',
      'the catalog of this database is managed by its schema file; change it with POST /schema/migrate',
    );
  }
}

function tableOfPath(context: HttpContext, name: string): Table {
  const { catalog } = context.engine();
  const table = tableByName(catalog, name);
  if (table !== undefined) return table;
  const known = catalog.tables.map((other) => other.name);
  throw fail('unknown_table', `unknown table "${name}"${orDidYouMean(name, known)}`, {
    stage: 'preflight',
    location: { pointer: '/path/table' },
  });
}

function columnOf(table: Table, name: string): number {
  const column = table.columns.find((candidate) => candidate.name === name);
  if (column !== undefined) return column.id;
  const known = table.columns.map((candidate) => candidate.name);
  const guess = orDidYouMean(name, known);
  throw fail('unknown_column', `table "${table.name}" has no column "${name}"${guess}`, {
    stage: 'preflight',
    location: { pointer: '/path/column' },
  });
}
