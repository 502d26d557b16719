/** Findings of a migration: data that it would lose, and conditions of the current rows that make it impossible (docs/migrations.md). */

export type FindingKind =
  | 'delete_table'
  | 'delete_column'
  | 'column_conversion'
  | 'not_null_existing_nulls'
  | 'unique_index_duplicates'
  | 'index_key_too_long'
  | 'foreign_key_missing_parent'
  | 'column_replacement_dependency'
  | 'active_schema_transition_conflict'
  | 'policy_dependency';

export interface DiffFinding {
  readonly kind: FindingKind;
  readonly summary: string;
  readonly table?: string;
  readonly column?: string;
  readonly rows?: number;
}
