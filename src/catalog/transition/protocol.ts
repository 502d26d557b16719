/** What the live transitions of a table ask of everybody who writes to it (docs/migrations.md): derived once a table record. */

import { type Converter, strictConverterOf } from '#value';
import { columnOrdinal } from '../lookup.ts';
import type { Table } from '../table.ts';
import type { Column, ForeignKey, Index } from '../table-parts.ts';
import type { Transition } from './transition.ts';

interface WriteProtocol {
  /** Indexes in the making: they get every change, and nobody reads them. */
  readonly building: readonly Index[];
  /** Columns in the making: each written row gets their cells too. */
  readonly shadows: readonly ShadowColumn[];
  /** Checked on every write: those in force, and those that are being validated. */
  readonly foreignKeys: readonly ForeignKey[];
  /** Columns (schema ids) that take no NULL any more, nullable as they still are. */
  readonly notNull: ReadonlySet<number>;
  /** Validations that may hold violations of a row; a write that changes one of `columns`, and every removal, clears them. */
  readonly violations: readonly ViolationRange[];
  /** The transition that finishes right now, if any: the table takes no writes. */
  readonly gate: number | undefined;
}

export interface ShadowColumn {
  readonly target: Column;
  /** Where the replaced column stands in catalog order. */
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

/** Whether the table takes no writes because of the transition. Plain indexes have nothing that a late write could break. */
export function isGated(transition: Transition): boolean {
  if (transition.state !== 'validating') return false;
  return transition.kind !== 'index_build' || transition.index.unique;
}
