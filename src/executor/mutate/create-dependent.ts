/**
 * Creates rows that depend on each other, from an input of any length: the server numbers them in the order of their other columns, they
 * reference rows that follow them, or a policy tests all of them first. The derived rows are a list that spills, which is read once for each number column, for writing, and for the
 * references among the rows.
 */

import type { Steps } from '#base';
import type { Table } from '#catalog';
import type { QueryPlan } from '#planner';
import type { Row } from '#value';
import { type ChunkedColumn, sliceOfPieces } from '../batch/chunked-column.ts';
import type { Sequence } from '../batch/long-list.ts';
import type { RowStore } from '../batch/row-store.ts';
import { batchRowsMax, denseSelection } from '../batch/vector.ts';
import { appendTo, flushed } from '../spill/list-rows.ts';
import { RowList, type RowReader } from '../spill/row-list.ts';
import { derivedColumns, numberedOrdinals, rowsOf } from './derived-columns.ts';
import { allocate } from './increment.ts';
import { eachChunk } from './input-chunks.ts';
import type { MutationContext } from './mutation-context.ts';
import { numbersInOrder } from './numbers-in-order.ts';
import { checkAllReferences, checkNewRows, insertRows, rowChange } from './row-change.ts';
import type { NamedRows } from './target-keys.ts';
import type { RowSink } from './targets.ts';

export function* createDependent(
  mutationContext: MutationContext,
  named: NamedRows,
  written: RowSink,
  policy: QueryPlan | undefined,
): Steps<void> {
  const { table } = named;
  const derived = new DerivedRows(mutationContext, table);
  yield* derived.fill(named);
  named.input.clear();
  if (!named.ordered) {
    for (const ordinal of numberedOrdinals(named)) yield* derived.number(ordinal);
  }
  const change = rowChange(table);
  if (policy !== undefined) {
    yield* derived.eachChunk((rows) => checkNewRows(mutationContext, { ...change, policy }, rows));
  }
  const own = change.foreignKeys.filter(({ refTable }) => refTable === table.id);
  const others = change.foreignKeys.filter(({ refTable }) => refTable !== table.id);
  yield* derived.eachChunk(function* (rows) {
    yield* insertRows(mutationContext, { ...change, foreignKeys: others }, rows);
    yield* written(rows);
  });
  if (own.length > 0) {
    yield* derived.eachChunk((rows) =>
      checkAllReferences(mutationContext, { ...change, foreignKeys: own }, rows),
    );
  }
  derived.clear();
}

/** All columns of the new rows. */
class DerivedRows {
  private readonly mutationContext: MutationContext;
  private readonly table: Table;
  private readonly rows: RowList;
  /** The numbers of the rows, by the ordinal of their column. */
  private readonly numbers = new Map<number, RowList>();
  private readonly pause = (rows: number) => this.mutationContext.pause(rows);

  constructor(mutationContext: MutationContext, table: Table) {
    this.mutationContext = mutationContext;
    this.table = table;
    const { run, site } = mutationContext;
    const types = table.columns.map(({ type }) => ({ kind: type }));
    this.rows = new RowList(types, run.memory, site);
  }

  /** Derives the rows, with their numbers if these follow the order of the input. */
  *fill(named: NamedRows): Steps<void> {
    const { mutationContext, rows, pause } = this;
    const numbered = named.ordered ? numberedOrdinals(named) : [];
    yield* eachChunk(mutationContext, named.input, function* (chunk) {
      const vectors = yield* derivedColumns(mutationContext, named, chunk);
      for (const ordinal of numbered) yield* allocate(mutationContext, named, ordinal, vectors);
      for (let from = 0; from < chunk.length; from += batchRowsMax) {
        const to = Math.min(chunk.length, from + batchRowsMax);
        const columns = vectors.map((vector) => sliceOfPieces(vector, from, to));
        yield* appendTo(rows, { columns, selection: denseSelection, count: to - from }, pause);
      }
    });
    yield* flushed(rows);
  }

  /** Numbers the rows in the order of their other columns. */
  *number(ordinal: number): Steps<void> {
    const { mutationContext, table, rows } = this;
    const numbers = yield* numbersInOrder(mutationContext, {
      table,
      ordinal,
      count: rows.length,
      eachChunk: (visit) => this.eachColumns(visit),
    });
    this.numbers.set(ordinal, numbers);
  }

  eachChunk(visit: (rows: Sequence<Row>) => Steps<void>): Steps<void> {
    const { mutationContext } = this;
    return this.eachColumns(function* (vectors, count) {
      yield* visit(yield* rowsOf(mutationContext, vectors, count));
    });
  }

  clear(): void {
    this.rows.clear();
    for (const list of this.numbers.values()) list.clear();
  }

  private eachColumns(
    visit: (vectors: readonly ChunkedColumn[], count: number, from: number) => Steps<void>,
  ): Steps<void> {
    const readers = [...this.numbers].map(([ordinal, list]) => [ordinal, list.reader()] as const);
    return eachChunk(this.mutationContext, this.rows, function* (chunk: RowStore, from) {
      const vectors = [...chunk.columns];
      for (const [ordinal, reader] of readers) vectors[ordinal] = taken(reader, chunk.length);
      yield* visit(vectors, chunk.length, from);
    });
  }
}

/** Reads the next `count` values of a list of one column, which fit into one piece. */
function taken(reader: RowReader, count: number): ChunkedColumn {
  const values: ChunkedColumn[number] = [];
  while (values.length < count) {
    const batch = reader.read(count - values.length);
    if (batch === undefined) break;
    for (let i = 0; i < batch.count; i++) {
      values.push((batch.columns[0] as ChunkedColumn[number])[i] as never);
    }
  }
  return [values];
}
