/** Converts cells from their JSON text to values. Reads numbers in place, without creating a string. */

import type { Datum, Row } from './datum.ts';
import type { TextRows } from './json/text-rows.ts';
import { cellParserOf, shortNumber } from './literal.ts';
import type { ScalarType } from './types.ts';

interface CellColumn {
  readonly type: ScalarType;
  readonly nullable?: boolean;
}

/** Reads rows as values of `columns`, one for each cell. */
export class CellReader {
  private readonly rows: TextRows;
  private readonly columns: readonly CellColumn[];
  private readonly parsers: readonly ((text: string) => Datum | undefined)[];
  private readonly isNumber: readonly boolean[];
  private readonly mayHavePoint: readonly boolean[];

  constructor(rows: TextRows, columns: readonly CellColumn[]) {
    this.rows = rows;
    this.columns = columns;
    this.parsers = columns.map(({ type }) => cellParserOf(type));
    this.isNumber = columns.map(({ type }) => type === 'int64' || type === 'float64');
    this.mayHavePoint = columns.map(({ type }) => type === 'float64');
  }

  /** Returns the row at `at`; `undefined` if a cell is not a value of its column, or is NULL in a column that is not nullable. */
  read(at: number): Row | undefined {
    const { rows, isNumber, mayHavePoint, parsers } = this;
    const { text, places, width } = rows;
    const row = new Array<Datum>(width);
    let place = at * width * 2;
    for (let c = 0; c < width; c++, place += 2) {
      const from = places[place] as number;
      const to = places[place + 1] as number;
      if (from === 0) {
        if (this.columns[c]?.nullable !== true) return undefined;
        row[c] = null;
        continue;
      }
      if (isNumber[c]) {
        const short = shortNumber(text, from, to, mayHavePoint[c] as boolean);
        if (!Number.isNaN(short)) {
          // An int64 is never -0.
          row[c] = mayHavePoint[c] ? short : short + 0;
          continue;
        }
      }
      const value = parsers[c]?.(text.slice(from, to));
      if (value === undefined) return undefined;
      row[c] = value;
    }
    return row;
  }
}
