/** Statements of a table: rows that are made, set and deleted. */

import { func } from './go-text.ts';
import { keyParts } from './key-parts.ts';
import type { TableParts } from './table-parts.ts';

export function emitStatements(parts: TableParts): readonly string[] {
  return [...inserts(parts), ...upserts(parts), ...updates(parts), ...deletes(parts)];
}

/** `returns` is what the statement gives: a row, a list, or a row that may not be there. */
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
    '// Insert makes a row.',
    ...method(
      parts,
      `Insert(row ${row}New)`,
      row,
      `return writeOne(insertOne(${info}, genCells${row}(&row)), genRead${row})`,
    ),
    '// InsertMany makes rows; they come in the order of the input where all have their keys.',
    ...method(
      parts,
      `InsertMany(rows ...${row}New)`,
      `[]${row}`,
      `return insertMany(${info}, genAllCells${row}(rows), genRead${row}, genKey${row})`,
    ),
    '// InsertFrom makes a row of each row of a query: Set and Put say what of it goes where.',
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
    '// InsertIgnore makes the rows whose key is not there yet; the others stay as they are. The columns of the key are the primary key, or those of `on`.',
    ...method(
      parts,
      `InsertIgnore(rows []${row}New, on ...string)`,
      `[]${row}`,
      `return writeMany(upsert(${info}, genAllCells${row}(rows), on, nil, false), genRead${row})`,
    ),
    '// Upsert makes the rows whose key is not there yet, and sets the columns of the others, as merge says: without one, all that are given.',
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
    '// Update sets columns of the row with the key; without such a row nothing happens.',
    ...method(
      parts,
      `Update(${key.parameters}, sets ...Assign)`,
      `Null[${row}]`,
      `s := sourceOf(${info}, sets)`,
      `q := byKey(${info}, 0, s, []*ex{${key.literals}})`,
      `return writeMaybe(updateRows(${info}, q, s, sets, maybe), genRead${row})`,
    ),
    '// UpdateFrom sets columns of a row for each row of a query: Put says its key, Set what becomes of it.',
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
    '// Delete deletes the row with the key; without such a row nothing happens.',
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
