/** Steps for created and deleted indexes. The identity of an index consists of its name, its columns and its uniqueness. */

import { type Index, indexByName, type Table } from '#catalog';
import { fateOf } from './columns.ts';
import { indexDefinition } from './definitions.ts';
import type { TablePair } from './pairs.ts';
import { inTable, type Step, step } from './step.ts';
import { quoted } from './text.ts';

interface IndexDifference {
  /** Indexes of the renamed table, with their names in that table. */
  readonly deleted: readonly Index[];
  readonly built: readonly Index[];
  readonly rejections: readonly string[];
}

/** Returns the difference of the indexes. `renamed` is the current table after all renames, which generated names follow. */
export function indexDifference(pair: TablePair, renamed: Table): IndexDifference {
  const { before, after } = pair;
  const rewritten = new Set(
    pair.columns.filter((column) => fateOf(column) === 'rewritten').map(({ after: { id } }) => id),
  );
  const deleted: Index[] = [];
  const built: Index[] = [];
  for (const index of renamed.indexes) {
    const wanted = indexByName(after, index.name);
    const isKept = wanted !== undefined && signatureOf(wanted) === signatureOf(index);
    if (isKept && !index.columns.some((id) => rewritten.has(id))) continue;
    deleted.push(index);
    if (wanted !== undefined) built.push(wanted);
  }
  const added = after.indexes.filter(({ name }) => indexByName(renamed, name) === undefined);
  const gone = new Map(
    deleted
      .filter(({ name }) => indexByName(after, name) === undefined)
      .map((index) => [signatureOf(index), index]),
  );
  const rejections = added.flatMap((index) => {
    const former = gone.get(signatureOf(index));
    return former === undefined ? [] : renamedIndex(former, index, before, after);
  });
  return { deleted, built: [...built, ...added], rejections };
}

function signatureOf({ columns, unique }: Index): string {
  return `${columns.join(',')}${unique ? '!' : ''}`;
}

function renamedIndex(former: Index, index: Index, before: Table, after: Table): string {
  const [from, to, table] = [former.name, index.name, after.name].map(quoted);
  const hasFollowed = indexByName(before, former.name) === undefined;
  return hasFollowed
    ? `index ${to} of table ${table} has a generated name, which follows the rename; name it ${from}`
    : `index ${from} of table ${table} is renamed to ${to}; keep the name, or delete the index in one migration and add it in the next`;
}

export function deleteIndexSteps({ id, name }: Table, deleted: readonly Index[]): readonly Step[] {
  return deleted.map((index) => {
    const summary = `delete index ${index.name} on ${name}`;
    return step(summary, inTable(name), { kind: 'delete_index', table_id: id, index: index.name });
  });
}

/** Returns the steps that build indexes. `starts` are the replacements of the plan: an index on a replaced column waits for its replacement. */
export function buildIndexSteps(
  table: Table,
  built: readonly Index[],
  starts: readonly Step[],
): readonly Step[] {
  return built.map((index) => {
    const summary = `start index build ${index.name} on ${table.name}`;
    const action = {
      kind: 'start_index_build',
      table_id: table.id,
      index: indexDefinition(table, index),
    } as const;
    const after = starts.filter(
      ({ action: other }) =>
        other.kind === 'start_column_replacement' &&
        other.table_id === table.id &&
        index.columns.includes(other.column_id),
    );
    return step(summary, inTable(table.name), action, after);
  });
}
