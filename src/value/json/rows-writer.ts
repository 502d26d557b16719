/** Writes flat rows as JSON bytes by code that is generated for their columns, with a direct call for each cell. */

import type { Row } from '../datum.ts';
import type { OutputColumn } from '../types.ts';
import { generated } from './generated.ts';
import type { JsonBytes } from './json-bytes.ts';

/** Writes `rows[from, to)`, separated by commas, with members in column order. */
type RowsWriter = (into: JsonBytes, rows: readonly Row[], from: number, to: number) => void;

const [comma, opening, closing] = [0x2c, 0x7b, 0x7d] as const;

/** Returns the writer for the columns; `undefined` if a column is of a row or array type. */
export function rowsWriterOf(columns: readonly OutputColumn[]): RowsWriter | undefined {
  if (columns.some(({ type: { kind } }) => kind === 'row' || kind === 'array')) return undefined;
  const names = columns.map(({ name }, i) =>
    Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify(name)}:`),
  );
  const members = columns.map(
    ({ type }, i) => `into.copy(names[${i}]); into.${type.kind}(row[${i}]);`,
  );
  const build = generated(
    'names',
    `return (into, rows, from, to) => {
      for (let i = from; i < to; i++) {
        const row = rows[i];
        if (i > from) into.byte(${comma});
        into.byte(${opening});
        ${members.join('\n')}
        into.byte(${closing});
      }
    };`,
  );
  return build(names) as RowsWriter;
}
