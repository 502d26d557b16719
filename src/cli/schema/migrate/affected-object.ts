/**
 * Finds the changes of a migration that affect others although they may lose no value. Running programs are affected if tables or columns with rows are renamed
 * or deleted, if unique indexes or foreign keys are deleted, or if foreign keys no longer reject deletions. Other developers are affected if the database has
 * an object that the schema file of this copy of the project never had. If a table name moves to a table with another id, this counts even without rows,
 * because two databases may have given one id to different tables and the change may be unintended.
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

export const affectedKinds = [
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
  'disable_policies',
] as const;
export type AffectedKind = (typeof affectedKinds)[number];

export type AffectedObject = AffectedMember | ReusedName;

/**
 * `never`: the file of this copy never had this value. `since`: the file had it, and another developer changed it in the database later. `unmet`: the database
 * may belong to another project.
 */
export type Whose = 'own' | 'never' | 'since' | 'unmet';

export interface AffectedMember {
  readonly kind: Exclude<AffectedKind, 'reuse_table_name' | 'disable_policies'>;
  /** The member in the database, or in the file if the database does not have it. */
  readonly member: SchemaMember;
  /** The value in the file, or `undefined` if the member is deleted. */
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

/**
 * Returns the changes that affect others. Changes of tables and columns that this project made itself count only if the table has rows, which requires a query.
 */
export async function affectedRows(
  api: SchemaApi,
  { current, desired, history, origins }: Sides,
): Promise<readonly AffectedObject[]> {
  const holdsRows = new Map<string, boolean>();
  const found: AffectedObject[] = idClashes(current, desired, origins).map((clash) => ({
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
): readonly AffectedMember[] {
  const met = history.met && membersOf(history.met);
  const whose = (key: string, now: SchemaMember | undefined): Whose => {
    if (history.mayBeAnothers && now !== undefined) return 'unmet';
    if (history.hadWhole) return 'own';
    if (now !== undefined && !history.had((schema) => hasMember(schema, key, now))) return 'never';
    const isUndone = met !== undefined && met.get(key)?.value === desired.get(key)?.value;
    return isUndone ? 'since' : 'own';
  };
  const touched = [...current].flatMap(([key, member]): readonly AffectedMember[] => {
    const to = desired.get(key)?.value;
    // The deletion of a table or a column implies that of its members.
    if (to === member.value || !member.within.every((it) => desired.has(it))) return [];
    return [{ kind: kindOf(member, to), member, to, whose: whose(key, member) }];
  });
  const again = [...desired].flatMap(([key, member]): readonly AffectedMember[] => {
    const { part, value: to, within } = member;
    if (part !== 'index' && part !== 'foreign_key') return [];
    if (current.has(key) || !within.every((it) => current.has(it))) return [];
    return [{ kind: `create_${part}`, member, to, whose: whose(key, undefined) }];
  });
  return [...touched, ...again];
}

function kindOf({ part, value }: SchemaMember, to: string | undefined): AffectedMember['kind'] {
  switch (part) {
    case 'table':
    case 'column':
      return to === undefined ? `delete_${part}` : `rename_${part}`;
    case 'index':
      return 'delete_index';
    case 'foreign_key':
      if (to === undefined) return 'delete_foreign_key';
      return refusesDeletion(value) && !refusesDeletion(to)
        ? 'loosen_foreign_key'
        : 'change_foreign_key';
    default:
      return 'change_column';
  }
}

/** Returns whether a foreign key with this action refuses to delete a referenced row. */
function refusesDeletion(action: string): boolean {
  return action === 'restrict' || action === 'no_action';
}

/** Returns whether the database no longer enforces a rule, with or without current rows. */
function breaksRule({ kind, member }: AffectedMember): boolean {
  if (kind === 'delete_index') return member.value === 'unique index';
  return kind === 'delete_foreign_key' || kind === 'loosen_foreign_key';
}

function breaksPrograms({ member: { part } }: AffectedMember): boolean {
  return part === 'table' || part === 'column';
}
