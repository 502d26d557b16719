/** The differences between two schemas as people read them (docs/migrations.md). */

type SchemaChangeKind =
  | 'rename_table'
  | 'rename_column'
  | 'create_table'
  | 'create_column'
  | 'change_column_default'
  | 'delete_index'
  | 'delete_foreign_key'
  | 'start_column_replacement'
  | 'create_foreign_key'
  | 'start_constraint_validation'
  | 'start_index_build'
  | 'delete_column'
  | 'delete_table';

/** Names are those of the desired schema, where the object is in it. */
export interface SchemaChange {
  readonly kind: SchemaChangeKind;
  readonly summary: string;
  readonly table?: string;
  readonly column?: string;
}
