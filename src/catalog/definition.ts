/** Definitions of catalog objects and of their changes, as they occur in programs (docs/pir.md §6). Objects are addressed by stable id. */

import type { DefaultLiteral, ScalarType } from '#value';
import type { Policies } from './policy/policy.ts';

export type CatalogChange =
  | { readonly kind: 'create_table'; readonly table: TableDefinition }
  | {
      readonly kind: 'rename_table';
      readonly table_id: number;
      readonly to: string;
    }
  | { readonly kind: 'delete_table'; readonly table_id: number }
  | {
      readonly kind: 'create_column';
      readonly table_id: number;
      readonly column: ColumnDefinition;
    }
  | {
      readonly kind: 'rename_column';
      readonly table_id: number;
      readonly column_id: number;
      readonly to: string;
    }
  | {
      readonly kind: 'change_column_default';
      readonly table_id: number;
      readonly column_id: number;
      readonly default?: ColumnDefault;
    }
  | {
      readonly kind: 'delete_column';
      readonly table_id: number;
      readonly column_id: number;
    }
  | {
      readonly kind: 'create_index';
      readonly table_id: number;
      readonly index: IndexDefinition;
    }
  | {
      readonly kind: 'delete_index';
      readonly table_id: number;
      readonly index: string;
    }
  | {
      readonly kind: 'create_foreign_key';
      readonly table_id: number;
      readonly foreign_key: ForeignKeyDefinition;
    }
  | {
      readonly kind: 'delete_foreign_key';
      readonly table_id: number;
      readonly foreign_key: string;
    };

/** The change of all row policies. Only migrations contain it: programs of clients cannot. */
export interface PolicyChange {
  readonly kind: 'set_policies';
  /** `undefined` removes the policies. */
  readonly policies: Policies | undefined;
}

export interface TableDefinition {
  readonly name: string;
  readonly id?: number;
  readonly columns: readonly ColumnDefinition[];
  readonly primary_key: readonly string[];
  readonly indexes?: readonly IndexDefinition[];
  readonly foreign_keys?: readonly ForeignKeyDefinition[];
}

export interface ColumnDefinition {
  readonly name: string;
  readonly type: ScalarType;
  readonly id?: number;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly default?: ColumnDefault;
}

export interface IndexDefinition {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique?: boolean;
}

export const foreignKeyActions = ['restrict', 'no_action', 'cascade', 'set_null'] as const;
export type ForeignKeyAction = (typeof foreignKeyActions)[number];

export interface ForeignKeyDefinition {
  readonly name: string;
  readonly columns: readonly string[];
  readonly ref_table: string;
  readonly ref_columns: readonly string[];
  readonly on_delete?: ForeignKeyAction;
}

export const generatorFunctions = [
  'uuid_v4',
  'uuid_v7',
  'ulid',
  'xid',
  'now_ms',
  'increment',
] as const;
export type GeneratorFunction = (typeof generatorFunctions)[number];

/** A column default. A literal has its JSON value: a bigint above 2^53, an `ExactNumber` if an integer was written with a fraction or exponent. */
export type ColumnDefault =
  | { readonly kind: 'generator'; readonly func: GeneratorFunction }
  | { readonly kind: 'literal'; readonly value: DefaultLiteral };

export interface ReplacementDefinition {
  readonly type: ScalarType;
  readonly nullable: boolean;
  readonly format?: string;
  readonly default?: ColumnDefault;
  readonly conversion?: 'strict_builtin';
  readonly prerequisites?: readonly string[];
}

export type ConstraintDefinition =
  | {
      readonly name: string;
      readonly kind: 'not_null';
      readonly column_id: number;
      readonly prerequisites?: readonly string[];
    }
  | {
      readonly name: string;
      readonly kind: 'foreign_key';
      readonly foreign_key: ForeignKeyDefinition;
      readonly prerequisites?: readonly string[];
    };

/** The start of a transition, which continues after the commit while the table stays in use (docs/pir.md §7). */
export type TransitionStart =
  | {
      readonly kind: 'start_index_build';
      readonly table_id: number;
      readonly index: IndexDefinition;
      readonly prerequisites?: readonly string[];
    }
  | {
      readonly kind: 'start_column_replacement';
      readonly table_id: number;
      readonly column_id: number;
      readonly replacement: ReplacementDefinition;
    }
  | {
      readonly kind: 'start_constraint_validation';
      readonly table_id: number;
      readonly constraint: ConstraintDefinition;
    };
