/**
 * Row policies: for each table, the rows that a principal may read and change. A policy is stored by the ids of tables and columns (`Ref` is a
 * number), so that a rename needs no change of it, and is written with names in schema files and responses (`Ref` is a string).
 */

import type { ComparisonOperator, Literal, LogicalOperator, TextPart, UnaryOperator } from '#lir';
import type { ScalarType } from '#value';

export const claimTypes = ['text', 'int64', 'float64', 'bool', 'uuid', 'ulid', 'xid'] as const;

/** The type as which a claim is read. `uuid`, `ulid` and `xid` are bytes, given as canonical text. */
export type ClaimType = (typeof claimTypes)[number];

/** The policies of a database. A table without an entry is invisible to restricted principals. */
export interface PoliciesOf<Ref> {
  /** Sorted by name. */
  readonly claims: readonly PolicyClaim[];
  /** In ascending order of the table. */
  readonly tables: readonly TablePolicyOf<Ref>[];
}

export interface PolicyClaim {
  readonly name: string;
  readonly type: ClaimType;
}

export const policyActions = ['read', 'create', 'update', 'delete'] as const;

export type PolicyAction = (typeof policyActions)[number];

/** The rules of one table. An action without a rule is permitted for no row. */
export type TablePolicyOf<Ref> = { readonly table: Ref } & {
  readonly [Action in PolicyAction]?: PolicyRuleOf<Ref>;
};

/** `all` permits every row. */
export type PolicyRuleOf<Ref> = 'all' | 'same_as_read' | PolicyConditionOf<Ref>;

/** Permits the rows for which `where` is TRUE. The scope `row` is the row itself. The nodes belong to the only `exists` of `where`. */
export interface PolicyConditionOf<Ref> {
  readonly where: PolicyExpressionOf<Ref>;
  readonly nodes?: Readonly<Record<string, PolicyNodeOf<Ref>>>;
}

/** The relations of a policy. They read the tables without the policies of these tables. */
export type PolicyNodeOf<Ref> =
  | { readonly kind: 'scan'; readonly table: Ref; readonly scope: string }
  | {
      readonly kind: 'filter';
      readonly input: string;
      readonly predicate: PolicyExpressionOf<Ref>;
    }
  | {
      readonly kind: 'join';
      readonly left: string;
      readonly right: string;
      readonly join: 'inner';
      readonly on: PolicyExpressionOf<Ref>;
    };

/** The expressions of LIR that cannot depend on anything but the row, the claims and the stored rows, and the leaf `claim`. */
export type PolicyExpressionOf<Ref> =
  | { readonly kind: 'lit'; readonly value: Literal }
  | { readonly kind: 'col'; readonly scope: string; readonly column: Ref }
  | { readonly kind: 'claim'; readonly name: string }
  | { readonly kind: 'unary'; readonly op: UnaryOperator; readonly expr: PolicyExpressionOf<Ref> }
  | {
      readonly kind: 'binary';
      readonly op: ComparisonOperator | LogicalOperator;
      readonly left: PolicyExpressionOf<Ref>;
      readonly right: PolicyExpressionOf<Ref>;
    }
  | {
      readonly kind: 'cast';
      readonly expr: PolicyExpressionOf<Ref>;
      readonly to: ScalarType;
    }
  | { readonly kind: 'coalesce'; readonly args: readonly PolicyExpressionOf<Ref>[] }
  | {
      readonly kind: 'text_match';
      readonly value: PolicyExpressionOf<Ref>;
      readonly parts: readonly TextPart[];
      readonly comparison?: 'exact' | 'unicode_simple_fold';
    }
  | { readonly kind: 'exists'; readonly node: string };

/** Stored policies, which contain ids. */
export type Policies = PoliciesOf<number>;
export type TablePolicy = TablePolicyOf<number>;
export type PolicyCondition = PolicyConditionOf<number>;

/** Policies of schema files and responses, which contain names. */
export type NamedPolicies = PoliciesOf<string>;

/** The label of the row in the condition of a policy. */
export const rowScope = 'row';
