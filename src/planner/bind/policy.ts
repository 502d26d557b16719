/**
 * Binds row policies. A policy is a separate filter above the rows to which it applies, so that only TRUE passes, and no expression of the
 * document is evaluated for a hidden row. Names in a policy are separate from the names of the document, and a policy reads all rows of the tables that it names.
 */

import { anyone } from '#access';
import type { Steps } from '#base';
import {
  type Catalog,
  type ClaimType,
  conditionFor,
  namedCondition,
  type PolicyAction,
  rowScope,
  type Table,
} from '#catalog';
import type { Expression, Query } from '#lir';
import { type IdentifierFormat, identifierFormats } from '#value';
import type { BoundExpression, BoundLiteral, BoundRelation } from './bound.ts';
import { BindContext, type Surroundings } from './context.ts';
import { bindCrossings } from './crossing.ts';
import { bindPredicate } from './expression.ts';
import { ExpressionContext } from './expression-context.ts';
import { literalOf } from './literal.ts';
import { ProgramNeeds } from './program-needs.ts';
import { scopeOf } from './scope.ts';
import { scalarType } from './types.ts';

/** Whether policies restrict the principal of the document. */
export function isPoliced({ around }: BindContext): boolean {
  return (
    around.catalog.policies !== undefined && around.principal.visibility.policies === 'enforce'
  );
}

/** Returns the rows of `input` that the principal may read or change. The first columns of `input` are those of the table. */
export function* permittedRows(
  context: BindContext,
  table: Table,
  action: PolicyAction,
  input: BoundRelation,
): Steps<BoundRelation> {
  const { catalog, needs } = context.around;
  if (catalog.policies === undefined) return input;
  needs.isPoliced = true;
  const condition = conditionFor(catalog.policies, table.id, action);
  if (condition === 'all') return input;
  if (condition === 'nobody') return filteredBy(input, literalOf('bool', false));
  const policy = documentOf(namedCondition(catalog, table.id, condition));
  return filteredBy(input, yield* bindCondition(context, policy, table, input));
}

/** A condition in the form of a query: its expression may refer to its nodes. */
interface PolicyDocument extends Query {
  readonly where: Expression;
}

function documentOf({ where, nodes = {} }: ReturnType<typeof namedCondition>): PolicyDocument {
  return { where, nodes, root: { node: rowScope, cardinality: 'many' } };
}

function* bindCondition(
  outer: BindContext,
  policy: PolicyDocument,
  table: Table,
  { columns }: BoundRelation,
): Steps<BoundExpression> {
  const context = new BindContext(policy, within(outer.around), new Set([rowScope]), outer.ids);
  const scopes = new Map([[rowScope, scopeOf(columns.slice(0, table.columns.length))]]);
  const place = { node: rowScope, role: 'policy' };
  const site = new ExpressionContext(context, place, { scopes, enclosing: undefined });
  yield* bindCrossings(site, policy.where);
  const bound = bindPredicate(site, policy.where, 'the condition of a policy');
  outer.parts += context.parts;
  return bound;
}

/** Returns the surroundings of a policy: it sees all tables, and no results of the program. */
function within({ catalog, extent, pace }: Surroundings): Surroundings {
  return {
    ...{ catalog, principal: anyone, extent, pace, needs: new ProgramNeeds() },
    ...{ results: new Map(), reserved: new Set<string>(), pointer: '', statement: undefined },
    claim: (name) => claimOf(catalog, name),
  };
}

function claimOf({ policies }: Catalog, name: string): BoundLiteral | undefined {
  const claim = policies?.claims.find((one) => one.name === name);
  if (claim === undefined) return undefined;
  const type = scalarType(isIdentifier(claim.type) ? 'bytes' : claim.type);
  return { kind: 'literal', value: null, type, nullable: true, claim };
}

function isIdentifier(type: ClaimType): type is IdentifierFormat {
  return identifierFormats.some((format) => format === type);
}

function filteredBy(input: BoundRelation, predicate: BoundExpression): BoundRelation {
  const { node, columns, ordered, rowsMax, key } = input;
  return { kind: 'filter', node, input, predicate, columns, ordered, rowsMax, key };
}
