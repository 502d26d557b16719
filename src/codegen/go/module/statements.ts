/** Emits the statements of a table, which insert, update and delete rows. */

import { func } from './go-text.ts';
import { keyParts } from './key-parts.ts';
import type { TableParts } from './table-parts.ts';

export function emitStatements(parts: TableParts): readonly string[] {
  return [...inserts(parts), ...upserts(parts), ...updates(parts), ...deletes(parts)];
}

/** Emits a method. `returns` is the result type of the statement: a row, a list, or a row that may be missing. */
function method(
  { names: { table, row } }: TableParts,
  head: string,
  returns: string,
  ...body: readonly string[]
): readonly string[] {
  return func(`(*${table}Table) ${head} *Write[${returns}, ${row}]`, ...body);
}

function inserts(parts: TableParts): readonly string[] {
  const { info } = parts;
  const { row } = parts.names;
  return [
    '// Insert inserts a row.',
    ...method(
      parts,
      `Insert(row ${row}New)`,
      row,
      `return writeOne(insertOne(${info}, genCells${row}(&row)), genRead${row})`,
    ),
    '// InsertMany inserts rows. If the input contains the keys of all rows, the result has the order of the input.',
    ...method(
      parts,
      `InsertMany(rows ...${row}New)`,
      `[]${row}`,
      `return insertMany(${info}, genAllCells${row}(rows), genRead${row}, genKey${row})`,
    ),
    '// InsertFrom inserts a row for each row of a query. Set and Put assign its values to columns.',
    ...method(
      parts,
      'InsertFrom(from Source, sets ...Assign)',
      `[]${row}`,
      `return writeMany(writeFrom("create", ${info}, from, sets), genRead${row})`,
    ),
  ];
}

function upserts(parts: TableParts): readonly string[] {
  const { info } = parts;
  const { row } = parts.names;
  return [
    '// InsertIgnore inserts the rows whose key does not exist yet, and leaves existing rows unchanged. The key is the primary key, or the columns of `on`.',
    ...method(
      parts,
      `InsertIgnore(rows []${row}New, on ...string)`,
      `[]${row}`,
      `return writeMany(upsert(${info}, genAllCells${row}(rows), on, nil, false), genRead${row})`,
    ),
    '// Upsert inserts the rows whose key does not exist yet, and updates the others as specified by merge. Without merge, it sets all given columns.',
    ...method(
      parts,
      `Upsert(rows []${row}New, merge ...Merge[${row}Cols])`,
      `[]${row}`,
      `m := append(merge, Merge[${row}Cols]{})[0]`,
      `return writeMany(upsert(${info}, genAllCells${row}(rows), m.On, merged(m.Set, genCols${row}), true), genRead${row})`,
    ),
  ];
}

function updates(parts: TableParts): readonly string[] {
  const { info, primary } = parts;
  const { row } = parts.names;
  const key = keyParts(parts, primary);
  return [
    '// Update sets columns of the row with the key. If no such row exists, it does nothing.',
    ...method(
      parts,
      `Update(${key.parameters}, sets ...Assign)`,
      `Null[${row}]`,
      `s := sourceOf(${info}, sets)`,
      `q := byKey(${info}, 0, s, []*ex{${key.literals}})`,
      `return writeMaybe(updateRows(${info}, q, s, sets, maybe), genRead${row})`,
    ),
    '// UpdateFrom updates a row for each row of a query. Put assigns its key, and Set its new values.',
    ...method(
      parts,
      'UpdateFrom(from Source, sets ...Assign)',
      `[]${row}`,
      `return writeMany(writeFrom("update", ${info}, from, sets), genRead${row})`,
    ),
  ];
}

function deletes(parts: TableParts): readonly string[] {
  const { info, primary } = parts;
  const { row } = parts.names;
  const key = keyParts(parts, primary);
  return [
    '// Delete deletes the row with the key. If no such row exists, it does nothing.',
    ...method(
      parts,
      `Delete(${key.parameters})`,
      `Null[${row}]`,
      `s := ${info}.newSource(false)`,
      `q := byKey(${info}, 0, s, []*ex{${key.literals}})`,
      `return writeMaybe(deleteRows(${info}, q, s, maybe), genRead${row})`,
    ),
  ];
}
