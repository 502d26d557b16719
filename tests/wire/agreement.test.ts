/** The schemas describe exactly the types of the rooms; the compiler decides, and the test only names what it decided. */

import { expect, test } from 'bun:test';
import type { Static, TSchema } from '@sinclair/typebox';
import type * as catalog from '#catalog';
import type * as lir from '#lir';
import type * as pir from '#pir';
import { lirDefinitions, pirDefinitions } from '#wire';

type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** Accepts only a definition whose values are exactly of type T. */
function describes<T>() {
  return <S extends TSchema>(
    definition: S,
    ..._same: Same<DeepReadonly<Static<S>>, DeepReadonly<T>> extends true ? [] : [never]
  ): S => definition;
}

type Kind<Union, K extends string> = Extract<Union, { readonly kind: K }>;
type NodeKind<K extends lir.Node['kind']> = Kind<lir.Node, K>;
type ExpressionOf<K extends string> = Kind<lir.Expression, K>;

type Lists<T> = Extract<T, readonly unknown[]>;

const L = lirDefinitions;
const P = pirDefinitions;

const agreed = [
  describes<lir.Query>()(L.Query),
  describes<lir.Root>()(L.Root),
  describes<Kind<lir.Binding, 'derived'>>()(L.DerivedBinding),
  describes<Kind<lir.Binding, 'recursive'>>()(L.RecursiveBinding),
  describes<NodeKind<'scan'>>()(L.ScanNode),
  // Rows that are left in the text of a document are lists of cells on the wire.
  describes<Omit<NodeKind<'rows'>, 'rows'> & { readonly rows: Lists<NodeKind<'rows'>['rows']> }>()(
    L.RowsNode,
  ),
  describes<NodeKind<'filter'>>()(L.FilterNode),
  describes<NodeKind<'project'>>()(L.ProjectNode),
  describes<NodeKind<'join'>>()(L.JoinNode),
  describes<NodeKind<'concatenate'>>()(L.ConcatenateNode),
  describes<lir.SetNode & { kind: 'intersect' }>()(L.IntersectNode),
  describes<lir.SetNode & { kind: 'except' }>()(L.ExceptNode),
  describes<NodeKind<'aggregate'>>()(L.AggregateNode),
  describes<NodeKind<'order'>>()(L.OrderNode),
  describes<NodeKind<'slice'>>()(L.SliceNode),
  describes<NodeKind<'distinct'>>()(L.DistinctNode),
  describes<lir.RefNode & { kind: 'ref' }>()(L.RefNode),
  describes<lir.RefNode & { kind: 'recursive_ref' }>()(L.RecursiveRefNode),
  describes<lir.RowsColumn>()(L.RowsColumn),
  describes<lir.Field>()(L.Field),
  describes<lir.GroupTerm>()(L.GroupTerm),
  describes<lir.AggregateTerm>()(L.AggTerm),
  describes<lir.OrderTerm>()(L.OrderTerm),
  describes<ExpressionOf<'lit'>>()(L.LiteralExpression),
  describes<ExpressionOf<'col'>>()(L.ColumnExpression),
  describes<ExpressionOf<'unary'>>()(L.UnaryExpression),
  describes<ExpressionOf<'binary'>>()(L.BinaryExpression),
  describes<ExpressionOf<'cast'>>()(L.CastExpression),
  describes<ExpressionOf<'branch'>>()(L.BranchExpression),
  describes<ExpressionOf<'coalesce'>>()(L.CoalesceExpression),
  describes<ExpressionOf<'call'>>()(L.CallExpression),
  describes<ExpressionOf<'text_match'>>()(L.TextMatchExpression),
  describes<lir.BranchArm>()(L.BranchArm),
  describes<Kind<lir.TextPart, 'literal'>>()(L.LiteralPart),
  describes<Kind<lir.TextPart, 'any_many'>>()(L.AnyManyPart),
  describes<{ kind: 'exists'; node: string }>()(L.ExistsCrossing),
  describes<{ kind: 'first'; node: string }>()(L.FirstCrossing),
  describes<{ kind: 'scalar'; node: string }>()(L.ScalarCrossing),
  describes<{ kind: 'array'; node: string }>()(L.ArrayCrossing),
  describes<pir.Program>()(P.Program),
  describes<catalog.TableDefinition>()(P.TableDefinition),
  describes<catalog.ColumnDefinition>()(P.ColumnDefinition),
  describes<catalog.IndexDefinition>()(P.IndexDefinition),
  describes<catalog.ForeignKeyDefinition>()(P.ForeignKeyDefinition),
  describes<catalog.ReplacementDefinition>()(P.ReplacementDefinition),
  describes<Kind<catalog.ConstraintDefinition, 'not_null'>>()(P.NotNullConstraint),
  describes<Kind<catalog.ConstraintDefinition, 'foreign_key'>>()(P.ForeignKeyConstraint),
  describes<Kind<catalog.ColumnDefault, 'generator'>>()(P.GeneratorDefault),
  describes<Kind<catalog.ColumnDefault, 'literal'>>()(P.LiteralDefault),
];

type Described<S extends TSchema> = DeepReadonly<Static<S>>;

type Literals = Described<
  | typeof L.TextLiteral
  | typeof L.Int64Literal
  | typeof L.Float64Literal
  | typeof L.BoolLiteral
  | typeof L.BytesLiteral
>;

type Statements = Described<
  | typeof P.QueryStatement
  | typeof P.CreateStatement
  | typeof P.UpdateStatement
  | typeof P.DeleteStatement
  | typeof P.CreateTable
  | typeof P.RenameTable
  | typeof P.DeleteTable
  | typeof P.CreateColumn
  | typeof P.RenameColumn
  | typeof P.ChangeColumnDefault
  | typeof P.DeleteColumn
  | typeof P.CreateIndex
  | typeof P.DeleteIndex
  | typeof P.CreateForeignKey
  | typeof P.DeleteForeignKey
  | typeof P.StartIndexBuild
  | typeof P.StartColumnReplacement
  | typeof P.StartConstraintValidation
>;

const unions: readonly [
  Same<Literals, DeepReadonly<lir.Literal>>,
  Same<Statements, DeepReadonly<Exclude<pir.Statement, { readonly kind: 'set_policies' }>>>,
] = [true, true];

test('the compiler agrees that schemas and types are the same', () => {
  expect(agreed).not.toContain(undefined as never);
  expect(unions).toEqual([true, true]);
});

test('the variants of a union are exactly the definitions of that family', () => {
  const variantsOf = (definition: TSchema) =>
    (definition['anyOf'] as { $ref: string }[]).map(({ $ref }) => $ref.slice('#/$defs/'.length));
  const ending = (suffix: string) => Object.keys(L).filter((name) => name.endsWith(suffix));
  expect(variantsOf(L.Node).sort()).toEqual(
    ending('Node')
      .filter((n) => n !== 'Node')
      .sort(),
  );
  expect(variantsOf(L.Binding).sort()).toEqual(['DerivedBinding', 'RecursiveBinding']);
  expect(variantsOf(L.Literal)).toHaveLength(5);
  expect(variantsOf(L.Expression)).toHaveLength(13);
  expect(variantsOf(P.Statement)).toHaveLength(18);
});
