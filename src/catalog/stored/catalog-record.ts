/** The record of the current catalog. The record has the shape of the catalog itself, except that columns have another form. */

import { invariant } from '#base';
import type { ScalarType } from '#value';
import { identifierFormatOf } from '../change/column-record.ts';
import type { GeneratorFunction } from '../definition.ts';
import { loadPolicies } from '../policy/stored-policies.ts';
import type { Catalog, Table } from '../table.ts';
import type { Column, Default } from '../table-parts.ts';
import type { Transition } from '../transition/transition.ts';
import { decodeFrame, frameOf } from './frame.ts';
import { loadScalar, type StoredScalar, storeScalar } from './scalar.ts';

interface StoredCatalog extends Omit<Catalog, 'versionAtMs' | 'tables' | 'policies'> {
  readonly versionAtMs?: number;
  readonly policies?: unknown;
  readonly tables: readonly StoredTable[];
}

interface StoredTable extends Omit<Table, 'columns' | 'transitions'> {
  readonly columns: readonly StoredColumn[];
  readonly transitions?: readonly StoredTransition[];
}

type Replacement = Extract<Transition, { kind: 'column_replacement' }>;
type StoredTransition =
  | Exclude<Transition, Replacement>
  | (Omit<Replacement, 'target'> & { readonly target: StoredColumn });

interface StoredColumn {
  readonly id: number;
  readonly physicalId: number;
  readonly name: string;
  readonly type: ScalarType;
  readonly nullable: boolean;
  readonly format?: string;
  readonly default?: { readonly func: GeneratorFunction } | { readonly literal: StoredScalar };
  readonly missing?: StoredScalar;
}

export function encodeCatalog(catalog: Catalog): Uint8Array {
  const members = Object.entries(catalog).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = name === 'tables' ? textOfTables(catalog.tables) : JSON.stringify(value);
    return [`${JSON.stringify(name)}:${text}`];
  });
  return frameOf(`{${members.join(',')}}`);
}

function textOfTables(tables: readonly Table[]): string {
  return `[${tables.map(textOfTable).join(',')}]`;
}

/** Cached texts of tables. A catalog change affects few tables. All other tables remain the same objects, whose texts are not built again. */
const known = new WeakMap<Table, string>();

export function textOfTable(table: Table): string {
  let text = known.get(table);
  if (text === undefined) {
    text = JSON.stringify(storeTable(table));
    known.set(table, text);
  }
  return text;
}

function storeTable(table: Table): StoredTable {
  const { transitions, ...rest } = table;
  const columns = table.columns.map(storeColumn);
  return {
    ...rest,
    columns,
    ...(transitions && { transitions: transitions.map(storeTransition) }),
  };
}

function storeTransition(transition: Transition): StoredTransition {
  if (transition.kind !== 'column_replacement') return transition;
  return { ...transition, target: storeColumn(transition.target) };
}

/** Decodes the record of the current catalog. Throws `catalog_corrupt` if it is damaged. */
export function decodeCatalog(bytes: Uint8Array): Catalog {
  return decodeFrame(bytes, 'the catalog record', (content) => {
    const { policies, ...stored } = content as StoredCatalog;
    invariant(Number.isSafeInteger(stored.version), 'a catalog has a version');
    const catalog = {
      ...stored,
      versionAtMs: stored.versionAtMs,
      tables: stored.tables.map(loadTable),
    };
    if (policies === undefined) return catalog;
    return { ...catalog, policies: loadPolicies(policies, catalog) };
  });
}

function loadTable(stored: StoredTable): Table {
  const { transitions, ...rest } = stored;
  const columns = stored.columns.map(loadColumn);
  return { ...rest, columns, ...(transitions && { transitions: transitions.map(loadTransition) }) };
}

function loadTransition(stored: StoredTransition): Transition {
  if (stored.kind !== 'column_replacement') return stored;
  return { ...stored, target: loadColumn(stored.target) };
}

function storeColumn(column: Column): StoredColumn {
  const { id, physicalId, name, type, nullable, format, missing } = column;
  return {
    id,
    physicalId,
    name,
    type,
    nullable,
    ...(format !== undefined && { format }),
    ...(column.default && { default: storeDefault(column.default) }),
    ...(missing !== null && { missing: storeScalar(missing) }),
  };
}

function storeDefault(value: Default): NonNullable<StoredColumn['default']> {
  return value.kind === 'generator' ? { func: value.func } : { literal: storeScalar(value.value) };
}

function loadColumn(stored: StoredColumn): Column {
  const { id, physicalId, name, type, nullable, format } = stored;
  const identifierFormat = identifierFormatOf(type, format);
  const load = (value: StoredScalar) => loadScalar(type, identifierFormat, value);
  return {
    id,
    physicalId,
    name,
    type,
    nullable,
    format,
    identifierFormat,
    default: loadDefault(stored.default, load),
    missing: load(stored.missing ?? null),
  };
}

function loadDefault(
  stored: StoredColumn['default'],
  load: (value: StoredScalar) => Column['missing'],
): Default | undefined {
  if (stored === undefined) return undefined;
  if ('func' in stored) return { kind: 'generator', func: stored.func };
  const value = load(stored.literal);
  invariant(value !== null, 'a default is a value');
  return { kind: 'literal', value };
}
