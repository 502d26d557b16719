/** Renames in an order in which each new name is free; where names go round in a circle, one takes a detour. */

import { invariant } from '#base';
import type { Catalog } from '#catalog';
import type { SchemaPair, TablePair } from './pairs.ts';
import { type Step, step } from './step.ts';

interface Rename {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly summary: string;
}

/** Tables first, then the columns of each. */
export function renameSteps(pair: SchemaPair): readonly Step[] {
  const detours = new DetourNames(pair.current, pair.desired);
  const tables = renamesOf(pair.tables, (from, to) => `rename table ${from} -> ${to}`);
  return [
    ...ordered(tables, detours).map(({ rename, to, isDetour }) => {
      const { id, summary } = rename;
      const change = { kind: 'rename_table', summary, table: rename.to } as const;
      return step(isDetour ? undefined : change, { kind: 'rename_table', table_id: id, to });
    }),
    ...tablesByName(pair.tables).flatMap((tables) => columnSteps(tables, detours)),
  ];
}

function columnSteps({ after: table, columns }: TablePair, detours: DetourNames): readonly Step[] {
  const { id: table_id, name } = table;
  const renames = renamesOf(columns, (from, to) => `rename column ${name}.${from} -> ${to}`);
  return ordered(renames, detours).map(({ rename, to, isDetour }) => {
    const { summary } = rename;
    const change = { kind: 'rename_column', summary, table: name, column: rename.to } as const;
    const action = { kind: 'rename_column', table_id, column_id: rename.id, to } as const;
    return step(isDetour ? undefined : change, action);
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

/** By summary, as far as names are free. */
function ordered(renames: readonly Rename[], detours: DetourNames): readonly Move[] {
  const waiting = new Set([...renames].sort((a, b) => (a.summary < b.summary ? -1 : 1)));
  const holders = new Map(renames.map((rename) => [rename.from, rename]));
  const moves: Move[] = [];
  while (waiting.size > 0) {
    let hasMoved = false;
    for (const rename of waiting) {
      if (holders.has(rename.to)) continue;
      moves.push({ rename, to: rename.to, isDetour: false });
      waiting.delete(rename);
      if (holders.get(rename.from) === rename) holders.delete(rename.from);
      hasMoved = true;
      // A name became free: an earlier summary may be next.
      break;
    }
    if (hasMoved) continue;
    const last = [...waiting].at(-1);
    invariant(last !== undefined, 'something waits');
    moves.push({ rename: last, to: detours.next(), isDetour: true });
    holders.delete(last.from);
  }
  return moves;
}

/** Names that nothing has and that no name of any object begins with: generated names may be made of them on the way. */
class DetourNames {
  private readonly names: readonly string[];
  private last = 0;

  constructor(...catalogs: readonly Catalog[]) {
    this.names = catalogs.flatMap(({ tables }) =>
      tables.flatMap((table) =>
        [table, ...table.columns, ...table.indexes, ...table.foreignKeys].map(({ name }) => name),
      ),
    );
  }

  next(): string {
    for (;;) {
      this.last++;
      const name = `~${this.last}`;
      if (!this.names.some((other) => other.includes(name))) return name;
    }
  }
}

/** By their new names. */
export function tablesByName(tables: readonly TablePair[]): readonly TablePair[] {
  return [...tables].sort((left, right) => (left.after.name < right.after.name ? -1 : 1));
}
