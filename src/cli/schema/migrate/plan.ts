/** Describes the cost of each change of a migration: which requests of the database wait, the rows that are visited, and the approximate time. */

import { type Catalog, tableById, tableByName } from '#catalog';
import type { SchemaApi, SchemaDiff, WireSchemaChange } from '#client';
import { count } from '../../frame/quantity.ts';

interface PlannedChange {
  readonly kind: string;
  readonly summary: string;
  readonly how: 'instant' | 'online';
  /** The operations that wait, and for how long. */
  readonly lock: string;
  /** Number of rows of the table that is read, or 0 if no row is visited. */
  readonly rows: number;
  /** Estimate for an online transition on a server without other work. */
  readonly estimateSeconds: number;
}

/** Rows per second of a transition on a small machine (docs/notes/2026-11-23-loading.md). */
const rowsPerSecond: Readonly<Record<string, number>> = {
  start_index_build: 100_000,
  start_column_replacement: 50_000,
  start_constraint_validation: 300_000,
};

/** Returns the costs of the changes. The costs count the rows of each table that a transition or the check of a deletion reads. */
export async function plannedChanges(
  api: SchemaApi,
  { changes }: SchemaDiff,
  current: Catalog,
  desired: Catalog,
): Promise<readonly PlannedChange[]> {
  const counts = new Map<string, number>();
  const rowsOf = async (name: string | undefined): Promise<number> => {
    if (name === undefined) return 0;
    const known = counts.get(name);
    if (known !== undefined) return known;
    const rows = await api.count(name);
    counts.set(name, rows);
    return rows;
  };
  const planned: PlannedChange[] = [];
  for (const change of changes) {
    const table = currentName(change, current, desired);
    const rows = visitsRows(change) ? await rowsOf(table) : 0;
    const gap = rebuildGap(change, changes, current);
    const cost = gap === undefined ? plannedChange(change, rows) : without(change, gap);
    const conversion = conversionOf(change, current, desired);
    planned.push(
      conversion === undefined ? cost : { ...cost, lock: `${conversion}; ${cost.lock}` },
    );
  }
  return planned;
}

function plannedChange({ kind, summary }: WireSchemaChange, rows: number): PlannedChange {
  const rate = rowsPerSecond[kind];
  if (rate === undefined) {
    const lock = rows > 0 ? 'its rows are read before the commit' : 'one commit';
    return { kind, summary, how: 'instant', lock, rows, estimateSeconds: 0 };
  }
  const lock = 'reads and writes continue; writes to the table wait up to 50 ms at the end';
  return { kind, summary, how: 'online', lock, rows, estimateSeconds: rows / rate };
}

/** Returns the conversion of the values of a column, or `undefined` if they stay unchanged. */
function conversionOf(
  { kind, table, column }: WireSchemaChange,
  current: Catalog,
  desired: Catalog,
): string | undefined {
  if (kind !== 'start_column_replacement' || table === undefined) return undefined;
  const after = tableByName(desired, table);
  const to = after?.columns.find(({ name }) => name === column);
  const before = after && tableById(current, after.id);
  const from = to && before?.columns.find(({ id }) => id === to.id);
  if (from === undefined || to === undefined || from.type === to.type) return undefined;
  return `values are converted from ${from.type} to ${to.type}`;
}

/** Returns the cost of an index that is deleted and built again, for example because its column gets another type. */
function without({ kind, summary }: WireSchemaChange, gap: string): PlannedChange {
  return { kind, summary, how: 'instant', lock: `one commit; ${gap}`, rows: 0, estimateSeconds: 0 };
}

/** Returns the effect while the index of this change does not exist, or `undefined` if it is not built again. */
function rebuildGap(
  { kind, summary }: WireSchemaChange,
  changes: readonly WireSchemaChange[],
  current: Catalog,
): string | undefined {
  if (kind !== 'delete_index') return undefined;
  const rebuilt = summary.replace(/^delete index /, 'start index build ');
  if (!changes.some((it) => it.summary === rebuilt)) return undefined;
  const isUnique = current.tables.some(({ name, indexes }) =>
    indexes.some((it) => it.unique && summary === `delete index ${it.name} on ${name}`),
  );
  const reads = 'queries cannot use it until it is built again';
  return isUnique
    ? `${reads}, and its values are not kept distinct until then: duplicates make the build fail`
    : reads;
}

function visitsRows({ kind }: WireSchemaChange): boolean {
  const reads = ['delete_table', 'delete_column', 'create_foreign_key'];
  return kind in rowsPerSecond || reads.includes(kind);
}

/** Returns the name that the database has for the table of a change, or `undefined` for a new table. */
function currentName({ table }: WireSchemaChange, current: Catalog, desired: Catalog) {
  if (table === undefined) return undefined;
  const after = tableByName(desired, table);
  return after === undefined
    ? tableByName(current, table)?.name
    : tableById(current, after.id)?.name;
}

export function planText(planned: readonly PlannedChange[]): string {
  if (planned.length === 0) return 'No schema changes.';
  return planned
    .map(({ summary, how, lock, rows, estimateSeconds }, i) => {
      const visited = rows === 0 ? 'no row is visited' : `${count(rows)} rows`;
      const time = how === 'online' ? `, about ${duration(estimateSeconds)}` : '';
      const number = `${i + 1}. `;
      const indent = ' '.repeat(number.length);
      return `${number}${summary}\n${indent}${how}: ${visited}${time}; ${lock}`;
    })
    .join('\n');
}

function duration(seconds: number): string {
  if (seconds < 1) return 'a second';
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  return `${Math.ceil(seconds / 60)} min`;
}
