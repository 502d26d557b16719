/** Describes the violations that a transition has recorded: the table, the columns, the number of rows and the cause. */

import { afterKey, decodeUtf8 } from '#base';
import { columnById, columnsOf, type ForeignKey, physicalIdOf } from '#catalog';
import { columnsText, rowsText } from '#failure';
import { rowKeyOfViolation, violationRange } from '#layout';
import { eachEntry, type KeyRange, keyUnder, type Transaction } from '#storage';
import { isStillDangling } from './constraint-chunk.ts';
import type { Stepping } from './stepping.ts';

/** Number at which counting stops, because writers wait at the write gate meanwhile. */
const violationsMax = 1000;
/** Number of violations per read. */
const pageEntries = 256;

/** Number of rows by cause. */
type Causes = ReadonlyMap<string, number>;

/** Returns the message about the remaining violations of a transition; `undefined` if none is left. */
export async function violationText(stepping: Stepping): Promise<string | undefined> {
  const causes = await causesOf(stepping);
  if (causes.size === 0) return undefined;
  const { table, transition } = stepping;
  const of = `of table "${table.name}"`;
  switch (transition.kind) {
    case 'index_build': {
      const { name, columns } = transition.index;
      const what = `unique index "${name}" ${of} (${columnsText(columnsOf(table, columns))})`;
      const [rows = 0] = causes.values();
      const have = rows === 1 ? 'has' : 'have';
      return `cannot publish ${what}: ${counted(rows, rows)} ${have} the same values as another row`;
    }
    case 'column_replacement': {
      const column = columnById(table, transition.column)?.name;
      return `cannot publish replacement for column "${column}" ${of}: ${causesText(causes)}`;
    }
    case 'constraint_validation':
      return `cannot validate constraint "${transition.name}" ${of}: ${causesText(causes)}`;
  }
}

function causesText(causes: Causes): string {
  const all = causes.values().reduce((sum, rows) => sum + rows, 0);
  return Array.from(causes, ([cause, rows]) => `${counted(rows, all)}: ${cause}`).join('; ');
}

function counted(rows: number, all: number): string {
  return rowsText(rows, all >= violationsMax);
}

async function causesOf({ transaction, table, transition, catalog }: Stepping): Promise<Causes> {
  const causes = new Map<string, number>();
  const isForeignKey =
    transition.kind === 'constraint_validation' && transition.constraint.kind === 'foreign_key';
  const isStill = async (key: Uint8Array) => {
    if (!isForeignKey) return true;
    const { foreignKey } = transition.constraint as { readonly foreignKey: ForeignKey };
    const validation = { ...transition, catalog, table };
    return isStillDangling(transaction, validation, foreignKey, rowKeyOfViolation(table, key));
  };
  let range = violationRange(physicalIdOf(transition));
  for (let rows = 0; ; ) {
    const page = await violationsIn(transaction, range);
    for (const { key, cause } of page) {
      if (!(await isStill(key))) continue;
      causes.set(cause, (causes.get(cause) ?? 0) + 1);
      if (++rows === violationsMax) return causes;
    }
    if (page.length < pageEntries) return causes;
    range = { from: afterKey((page.at(-1) as Violation).key), to: range.to };
  }
}

interface Violation {
  readonly key: Uint8Array;
  /** Description of the problem; empty if the row has the tuple of another row in a unique index. */
  readonly cause: string;
}

async function violationsIn(
  transaction: Transaction,
  range: KeyRange,
): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  await eachEntry(transaction, range, (cursor) => {
    const cause = decodeUtf8(cursor.value, cursor.valueFrom, cursor.valueTo);
    found.push({ key: keyUnder(cursor), cause });
    return found.length < pageEntries;
  });
  return found;
}
