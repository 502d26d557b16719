/**
 * What a migration takes from others, although no value may be lost. From programs that run: tables and columns with rows in them that get
 * another name or go, unique indexes and foreign keys that go, and foreign keys that refuse no deletion any more. From colleagues: whatever the
 * database has and the schema file of this copy of the project never had. A table name that goes to a table of another id counts without rows
 * as well: two databases may have given one id to different tables, and then nobody meant it.
 */

import type { Catalog } from '#catalog';
import type { SchemaApi } from '#client';
import type { FileHistory } from '../../project/file-history.ts';
import { type IdClash, idClashes } from '../../project/id-clash.ts';
import {
  hasMember,
  membersOf,
  type SchemaMember,
  type SchemaMembers,
} from '../../project/schema-members.ts';
import type { TableOrigins } from '../../project/table-origins.ts';

export const touchedKinds = [
  'rename_table',
  'rename_column',
  'delete_table',
  'delete_column',
  'change_column',
  'delete_index',
  'create_index',
  'delete_foreign_key',
  'create_foreign_key',
  'change_foreign_key',
  'loosen_foreign_key',
  'reuse_table_name',
] as const;
export type TouchedKind = (typeof touchedKinds)[number];

export type Touched = TouchedMember | ReusedName;

/**
 * `never`: the file of this copy never had it so. `since`: it had, and somebody has changed it in the database after that. `unmet`: the whole
 * database may be another project's.
 */
export type Whose = 'own' | 'never' | 'since' | 'unmet';

export interface TouchedMember {
  readonly kind: Exclude<TouchedKind, 'reuse_table_name'>;
  /** As the database has it now; as the file has it where the database has none. */
  readonly member: SchemaMember;
  /** What the file says instead; undefined when it goes. */
  readonly to: string | undefined;
  readonly whose: Whose;
}

interface ReusedName {
  readonly kind: 'reuse_table_name';
  readonly clash: IdClash;
}

interface Sides {
  readonly current: Catalog;
  readonly desired: Catalog;
  readonly history: FileHistory;
  readonly origins: TableOrigins;
}

/** Tables and columns of this project's own making only where the table has rows, asked of the database. */
export async function touchedRows(
  api: SchemaApi,
  { current, desired, history, origins }: Sides,
): Promise<readonly Touched[]> {
  const holdsRows = new Map<string, boolean>();
  const found: Touched[] = idClashes(current, desired, origins).map((clash) => ({
    kind: 'reuse_table_name',
    clash,
  }));
  for (const touched of touchedMembers(membersOf(current), membersOf(desired), history)) {
    const { member, whose } = touched;
    if (whose === 'own' && !breaksRule(touched)) {
      if (!breaksPrograms(touched)) continue;
      const { table } = member;
      if (!holdsRows.has(table)) holdsRows.set(table, await api.holdsRows(table));
      if (!holdsRows.get(table)) continue;
    }
    found.push(touched);
  }
  return found;
}

function touchedMembers(
  current: SchemaMembers,
  desired: SchemaMembers,
  history: FileHistory,
): readonly TouchedMember[] {
  const met = history.met && membersOf(history.met);
  const whose = (key: string, now: SchemaMember | undefined): Whose => {
    if (history.mayBeAnothers && now !== undefined) return 'unmet';
    if (history.hadWhole) return 'own';
    if (now !== undefined && !history.had((schema) => hasMember(schema, key, now))) return 'never';
    const isUndone = met !== undefined && met.get(key)?.value === desired.get(key)?.value;
    return isUndone ? 'since' : 'own';
  };
  const touched = [...current].flatMap(([key, member]): readonly TouchedMember[] => {
    const to = desired.get(key)?.value;
    // What goes with a table or a column is told by that.
    if (to === member.value || !member.within.every((it) => desired.has(it))) return [];
    return [{ kind: kindOf(member, to), member, to, whose: whose(key, member) }];
  });
  const again = [...desired].flatMap(([key, member]): readonly TouchedMember[] => {
    const { part, value: to, within } = member;
    if (part !== 'index' && part !== 'foreign_key') return [];
    if (current.has(key) || !within.every((it) => current.has(it))) return [];
    return [{ kind: `create_${part}`, member, to, whose: whose(key, undefined) }];
  });
  return [...touched, ...again];
}

function kindOf({ part, value }: SchemaMember, to: string | undefined): TouchedMember['kind'] {
  switch (part) {
    case 'table':
    case 'column':
      return to === undefined ? `delete_${part}` : `rename_${part}`;
    case 'index':
      return 'delete_index';
    case 'foreign_key':
      if (to === undefined) return 'delete_foreign_key';
      return value === 'restrict' ? 'loosen_foreign_key' : 'change_foreign_key';
    default:
      return 'change_column';
  }
}

/** The rows keep it no more, whether there are any now or not. */
function breaksRule({ kind, member }: TouchedMember): boolean {
  if (kind === 'delete_index') return member.value === 'unique index';
  return kind === 'delete_foreign_key' || kind === 'loosen_foreign_key';
}

function breaksPrograms({ member: { part } }: TouchedMember): boolean {
  return part === 'table' || part === 'column';
}
