/** Relations of PostgreSQL that describe the database. A query reads them as rows that are known before it runs. */

import type { Scalar } from '#value';
import { sqlTypes, typeByName } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import pgType from './pg-type.json';

export interface VirtualRelation {
  readonly columns: readonly VirtualColumn[];
  readonly rows: readonly (readonly Scalar[])[];
}

interface VirtualColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly nullable: boolean;
}

/** A relation that was recorded from PostgreSQL. */
interface RecordedRelation {
  /** Name, type, and whether the column is not NULL. */
  readonly columns: readonly (readonly (string | boolean)[])[];
  readonly rows: readonly (readonly Scalar[])[];
}

const typeNames: Readonly<Record<string, string>> = {
  smallint: 'int2',
  integer: 'int4',
  bigint: 'int8',
  boolean: 'bool',
};

const systemSchema = 'pg_catalog';
const relations: ReadonlyMap<string, VirtualRelation> = new Map([
  ['pg_type', recorded(pgType as RecordedRelation)],
]);

/** Finds a relation. Without a schema, the system catalogs come before the tables, as in PostgreSQL. */
export function virtualRelation(
  schema: string | undefined,
  name: string,
): VirtualRelation | undefined {
  return schema === undefined || schema === systemSchema ? relations.get(name) : undefined;
}

function recorded({ columns, rows }: RecordedRelation): VirtualRelation {
  const described = columns.map(([name, type, isNotNull]) => ({
    name: String(name),
    type: typeOf(String(type)),
    nullable: isNotNull !== true,
  }));
  return { columns: described, rows };
}

/** Types that svc does not have, such as regproc, are text. */
function typeOf(text: string): SqlType {
  return typeByName(typeNames[text] ?? text) ?? sqlTypes.text;
}
