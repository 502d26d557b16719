/** Steps for renames, in an order in which each new name is free. If names form a cycle, one object first gets a temporary name (detour). */

import { firstIndex, invariant } from '#base';
import type { Catalog } from '#catalog';
import type { SchemaPair, TablePair } from './pairs.ts';
import { inTable, type Step, step } from './step.ts';

interface Rename {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly summary: string;
}

/** Returns the renames of tables, followed by those of the columns of each table. */
export function renameSteps(pair: SchemaPair): readonly Step[] {
  const detours = new DetourNames(pair.current, pair.desired);
  const tables = renamesOf(pair.tables, (from, to) => `rename table ${from} -> ${to}`);
  return [
    ...ordered(tables, detours).map(({ rename, to, isDetour }) => {
      const { id, summary } = rename;
      return step(isDetour ? undefined : summary, inTable(rename.to), {
        kind: 'rename_table',
        table_id: id,
        to,
      });
    }),
    ...tablesByName(pair.tables).flatMap((tables) => columnSteps(tables, detours)),
  ];
}

function columnSteps({ after: table, columns }: TablePair, detours: DetourNames): readonly Step[] {
  const { id: table_id, name } = table;
  const renames = renamesOf(columns, (from, to) => `rename column ${name}.${from} -> ${to}`);
  return ordered(renames, detours).map(({ rename, to, isDetour }) => {
    const { summary } = rename;
    const action = { kind: 'rename_column', table_id, column_id: rename.id, to } as const;
    return step(isDetour ? undefined : summary, inTable(name, rename.to), action);
  });
}

interface Pair {
  readonly before: { readonly id: number; readonly name: string };
  readonly after: { readonly name: string };
}

function renamesOf(
  pairs: readonly Pair[],
  summary: (from: string, to: string) => string,
): readonly Rename[] {
  return pairs
    .filter(({ before, after }) => before.name !== after.name)
    .map(({ before: { id, name: from }, after: { name: to } }) => ({
      id,
      from,
      to,
      summary: summary(from, to),
    }));
}

interface Move {
  readonly rename: Rename;
  readonly to: string;
  readonly isDetour: boolean;
}

/** Orders renames by summary among those whose new name is free. Each rename frees a name, for which at most one other rename waits. */
function ordered(renames: readonly Rename[], detours: DetourNames): readonly Move[] {
  const sorted = [...renames].sort((a, b) => (a.summary < b.summary ? -1 : 1));
  const places = new Map(sorted.map(({ to }, place) => [to, place]));
  const held = new Set(sorted.map(({ from }) => from));
  const free = new FreePlaces();
  sorted.forEach(({ to }, place) => {
    if (!held.has(to)) free.add(place);
  });
  const moves: Move[] = [];
  const waiting = new Set(sorted.keys());
  const leave = (name: string) => {
    const next = held.delete(name) ? places.get(name) : undefined;
    if (next !== undefined) free.add(next);
  };
  for (let last = sorted.length - 1; waiting.size > 0; ) {
    const place = free.takeFirst();
    const rename = sorted[place ?? last];
    invariant(rename !== undefined, 'something waits');
    if (place !== undefined) {
      moves.push({ rename, to: rename.to, isDetour: false });
      waiting.delete(place);
      leave(rename.from);
    } else if (waiting.has(last)) {
      moves.push({ rename, to: detours.next(), isDetour: true });
      leave(rename.from);
    } else {
      last--;
    }
  }
  return moves;
}

/** Positions of renames whose new names are free, sorted in descending order. */
class FreePlaces {
  private readonly places: number[] = [];

  add(place: number): void {
    const { places } = this;
    const at = firstIndex(0, places.length, (index) => (places[index] as number) <= place);
    places.splice(at, 0, place);
  }

  takeFirst(): number | undefined {
    return this.places.pop();
  }
}

/** Temporary names inside other names. The counter never reaches a number with more digits. */
const detourDigits = /~[1-9][0-9]{0,8}/g;

/** A generator of temporary names that occur in no name of any object, since names generated from a temporary name must be unique as well. */
class DetourNames {
  private readonly catalogs: readonly Catalog[];
  /** The temporary names that occur in an existing name. */
  private taken: ReadonlySet<string> | undefined;
  private last = 0;

  constructor(...catalogs: readonly Catalog[]) {
    this.catalogs = catalogs;
  }

  next(): string {
    this.taken ??= new Set(this.catalogs.flatMap(namesOf).flatMap(heldIn));
    for (;;) {
      this.last++;
      const name = `~${this.last}`;
      if (!this.taken.has(name)) return name;
    }
  }
}

function namesOf({ tables }: Catalog): readonly string[] {
  return tables.flatMap((table) =>
    [table, ...table.columns, ...table.indexes, ...table.foreignKeys].map(({ name }) => name),
  );
}

/** Returns the temporary names in a name: `a~12` contains `~1` and `~12`. */
function heldIn(name: string): readonly string[] {
  return [...name.matchAll(detourDigits)].flatMap(([text]) =>
    Array.from({ length: text.length - 1 }, (_, i) => text.slice(0, i + 2)),
  );
}

/** Returns the tables sorted by their new names. */
export function tablesByName(tables: readonly TablePair[]): readonly TablePair[] {
  return [...tables].sort((left, right) => (left.after.name < right.after.name ? -1 : 1));
}
