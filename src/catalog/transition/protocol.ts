/** The obligations that the active transitions of a table impose on every write (docs/migrations.md). They are derived once per table record. */

import { type Converter, strictConverterOf } from '#value';
import { columnOrdinal } from '../lookup.ts';
import type { Table } from '../table.ts';
import type { Column, ForeignKey, Index } from '../table-parts.ts';
import type { Transition } from './transition.ts';

interface WriteProtocol {
  /** Indexes that are being built. Every write maintains them, and no query reads them. */
  readonly building: readonly Index[];
  /** Columns that are being built. Every written row also gets their cells. */
  readonly shadows: readonly ShadowColumn[];
  /** Foreign keys that are checked on every write, including those that are being validated. */
  readonly foreignKeys: readonly ForeignKey[];
  /** Schema ids of columns that accept no NULL, although they are still nullable in the schema. */
  readonly notNull: ReadonlySet<number>;
  /** Validations that may have recorded violations of a row. Every removal of the row, and every write that changes one of `columns`, clears them. */
  readonly violations: readonly ViolationRange[];
  /** The transition that is about to finish. While it is set, the table accepts no writes; `undefined` if there is none. */
  readonly gate: number | undefined;
}

export interface ShadowColumn {
  readonly target: Column;
  /** Position of the replaced column in catalog order. */
  readonly ordinal: number;
  readonly convert: Converter;
}

interface ViolationRange {
  readonly physicalId: number;
  /** Schema ids. */
  readonly columns: readonly number[];
}

const known = new WeakMap<Table, WriteProtocol>();

export function writeProtocol(table: Table): WriteProtocol {
  let protocol = known.get(table);
  if (protocol === undefined) {
    protocol = derive(table);
    known.set(table, protocol);
  }
  return protocol;
}

function derive(table: Table): WriteProtocol {
  const active = (table.transitions ?? []).filter(({ state }) => state !== 'waiting');
  const pending = active.flatMap((transition) =>
    transition.kind === 'constraint_validation' ? [transition] : [],
  );
  const keys = pending.flatMap(({ constraint }) =>
    constraint.kind === 'foreign_key' ? [constraint.foreignKey] : [],
  );
  const notNull = pending.flatMap(({ constraint }) =>
    constraint.kind === 'not_null' ? [constraint.column] : [],
  );
  return {
    building: active.flatMap((one) => (one.kind === 'index_build' ? [one.index] : [])),
    shadows: active.flatMap((one) =>
      one.kind === 'column_replacement' ? [shadow(table, one)] : [],
    ),
    foreignKeys: keys.length === 0 ? table.foreignKeys : [...table.foreignKeys, ...keys],
    notNull: new Set(notNull),
    violations: active.flatMap(violationRange),
    gate: active.find(isGated)?.id,
  };
}

function shadow(
  table: Table,
  { column: id, target }: Extract<Transition, { kind: 'column_replacement' }>,
): ShadowColumn {
  const ordinal = columnOrdinal(table, id);
  const convert = strictConverterOf(table.columns[ordinal] as Column, target);
  return { target, ordinal, convert };
}

function violationRange(transition: Transition): readonly ViolationRange[] {
  switch (transition.kind) {
    case 'index_build':
      return [];
    case 'column_replacement':
      return [{ physicalId: transition.target.physicalId, columns: [transition.column] }];
    case 'constraint_validation': {
      const { physicalId, constraint } = transition;
      const columns =
        constraint.kind === 'not_null' ? [constraint.column] : constraint.foreignKey.columns;
      return [{ physicalId, columns }];
    }
  }
}

/** Returns whether the transition blocks writes to the table. A non-unique index does not, since a late write cannot break it. */
export function isGated(transition: Transition): boolean {
  if (transition.state !== 'validating') return false;
  return transition.kind !== 'index_build' || transition.index.unique;
}
