/** Numbers rows of any number in the order of their columns, by two external sorts: by the columns, and back into the order of the rows. */

import { ByteReader, type Steps } from '#base';
import type { Column, Table } from '#catalog';
import { appendKeyMember, type Datum, type Scalar } from '#value';
import { type ChunkedColumn, valueAt } from '../batch/chunked-column.ts';
import { batchRowsMax, denseSelection } from '../batch/vector.ts';
import { appendTo, flushed } from '../spill/list-rows.ts';
import { RowList } from '../spill/row-list.ts';
import type { EntryList } from './entry-list.ts';
import { EntrySort } from './entry-sort.ts';
import { reserveNumbers } from './increment.ts';
import type { MutationContext } from './mutation-context.ts';

/** The part of the share of an operator that each of the sorts may take. */
const partOfShare = 1 / 4;

interface Unnumbered {
  readonly table: Table;
  /** Ordinal of the column that receives the numbers. */
  readonly ordinal: number;
  /** Number of rows. */
  readonly count: number;
  /** Visits the rows in their order, with one vector for each column; `from` is the number of the first row of a chunk. */
  eachChunk(
    visit: (vectors: readonly ChunkedColumn[], count: number, from: number) => Steps<void>,
  ): Steps<void>;
}

/** Returns the number of each row. The order is that of all columns but the numbered one, in catalog order; NULL first. Equal rows keep their order. */
export function* numbersInOrder(
  mutationContext: MutationContext,
  unnumbered: Unnumbered,
): Steps<RowList> {
  const { table, ordinal, count } = unnumbered;
  const ranked = yield* byColumns(mutationContext, unnumbered);
  const next = yield* reserveNumbers(
    mutationContext,
    table,
    table.columns[ordinal] as Column,
    count,
  );
  const back = yield* byPosition(mutationContext, ranked);
  ranked.close();
  const { run, site } = mutationContext;
  const numbers = new RowList([{ kind: 'int64' }], run.memory, site);
  const pause = (rows: number) => mutationContext.pause(rows);
  yield* back.eachPiece(function* ({ run: entries, order }) {
    for (let from = 0; from < order.length; from += batchRowsMax) {
      const values: Datum[] = [];
      for (let i = from; i < Math.min(order.length, from + batchRowsMax); i++) {
        values.push(next(f64Of(entries.value(order[i] as number))));
      }
      const batch = { columns: [values], selection: denseSelection, count: values.length };
      yield* appendTo(numbers, batch, pause);
    }
  });
  back.close();
  yield* flushed(numbers);
  return numbers;
}

/** Returns the positions of the rows, in the order of their columns. */
function* byColumns(
  mutationContext: MutationContext,
  { table, ordinal, eachChunk }: Unnumbered,
): Steps<EntryList> {
  const sort = new EntrySort(mutationContext, { prefixLength: 0, part: partOfShare });
  const others = table.columns.flatMap(({ type }, c) => (c === ordinal ? [] : [{ type, c }]));
  yield* eachChunk(function* (vectors, count, from) {
    for (let i = 0; i < count; i++) {
      const pause = mutationContext.pause();
      if (pause !== undefined) yield pause;
      const { writer } = sort;
      for (const { type, c } of others) {
        appendKeyMember(writer, type, valueAt(vectors[c] as ChunkedColumn, i) as Scalar);
      }
      const keyTo = writer.length;
      writer.f64(from + i);
      sort.added(keyTo);
    }
    if (sort.isOver) yield* sort.spill();
  });
  return yield* sort.finish();
}

/** Returns the rank of each row, in the order of their positions. */
function* byPosition(mutationContext: MutationContext, ranked: EntryList): Steps<EntryList> {
  const sort = new EntrySort(mutationContext, { prefixLength: 0, part: partOfShare });
  let rank = 0;
  yield* ranked.eachPiece(function* ({ run, order }) {
    for (let i = 0; i < order.length; i++) {
      const pause = mutationContext.pause();
      if (pause !== undefined) yield pause;
      const { writer } = sort;
      appendKeyMember(writer, 'int64', f64Of(run.value(order[i] as number)));
      const keyTo = writer.length;
      writer.f64(rank++);
      sort.added(keyTo);
    }
    if (sort.isOver) yield* sort.spill();
  });
  return yield* sort.finish();
}

function f64Of(bytes: Uint8Array): number {
  return new ByteReader(bytes).f64();
}
