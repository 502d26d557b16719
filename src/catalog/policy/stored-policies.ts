/** Checks policies that were read from a record. Their stored form is the JSON of `Policies`. A member that is unknown is an error: it might be a restriction. */

import { invariant } from '#base';
import { columnById, tableById } from '../lookup.ts';
import type { Catalog } from '../table.ts';
import { claimTypes, type Policies, policyActions } from './policy.ts';
import { usesOf } from './uses.ts';

/** Throws if `stored` is not policies of the catalog. */
export function loadPolicies(stored: unknown, catalog: Catalog): Policies {
  invariant(isPolicies(stored), 'stored policies have the form of policies');
  const policies = stored as Policies;
  const isKnown = (id: number) => tableById(catalog, id) !== undefined;
  invariant(
    policies.tables.every(({ table }) => isKnown(table)),
    'a policy belongs to a table',
  );
  for (const { table: id, column } of usesOf(policies)) {
    const table = tableById(catalog, id);
    invariant(table !== undefined, 'a policy reads tables of the catalog');
    if (column === undefined) continue;
    invariant(columnById(table, column) !== undefined, 'a policy reads columns of the catalog');
  }
  return policies;
}

type Shape = (value: unknown) => boolean;
type Members = Readonly<Record<string, Shape>>;

function object(required: Members, optional: Members = {}): Shape {
  return (value) => {
    if (!isObject(value)) return false;
    return (
      Object.keys(required).every((name) => Object.hasOwn(value, name)) &&
      Object.entries(value).every(([name, of]) => {
        const shape = Object.hasOwn(required, name) ? required[name] : ownMember(optional, name);
        return shape?.(of) === true;
      })
    );
  };
}

function ownMember(members: Members, name: string): Shape | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const list =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape);

const record =
  (shape: Shape): Shape =>
  (value) =>
    isObject(value) && Object.values(value).every(shape);

const oneOf =
  (...words: readonly unknown[]): Shape =>
  (value) =>
    words.includes(value);

const isId: Shape = (value) => Number.isSafeInteger(value);
const isText: Shape = (value) => typeof value === 'string';

const scalarTypes = ['text', 'int64', 'float64', 'bytes', 'bool'] as const;
const isFlag: Shape = (value) => typeof value === 'boolean';
const isTextLiteral = object(
  { type: oneOf('text', 'int64', 'float64', 'bytes') },
  { value: isText },
);
const isFlagLiteral = object({ type: oneOf('bool') }, { value: isFlag });
const isLiteral: Shape = (value) => isTextLiteral(value) || isFlagLiteral(value);
const isTextPart: Shape = (value) =>
  object({ kind: oneOf('literal'), value: isText })(value) ||
  object({ kind: oneOf('any_many') })(value);

const isKind: Shape = () => true;
const isExpression: Shape = (value) =>
  isObject(value) && shapeOf(expressions, value['kind'])(value);
const isNode: Shape = (value) => isObject(value) && shapeOf(nodes, value['kind'])(value);

function shapeOf(shapes: Members, kind: unknown): Shape {
  return (typeof kind === 'string' && ownMember(shapes, kind)) || (() => false);
}

const expressions: Members = {
  lit: object({ kind: isKind, value: isLiteral }),
  col: object({ kind: isKind, scope: isText, column: isId }),
  claim: object({ kind: isKind, name: isText }),
  unary: object({
    kind: isKind,
    op: oneOf('not', 'negate', 'is_null', 'is_not_null'),
    expr: isExpression,
  }),
  binary: object({
    kind: isKind,
    op: oneOf('eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'and', 'or'),
    left: isExpression,
    right: isExpression,
  }),
  cast: object({ kind: isKind, expr: isExpression, to: oneOf(...scalarTypes) }),
  coalesce: object({ kind: isKind, args: list(isExpression) }),
  text_match: object(
    { kind: isKind, value: isExpression, parts: list(isTextPart) },
    { comparison: oneOf('exact', 'unicode_simple_fold') },
  ),
  exists: object({ kind: isKind, node: isText }),
};

const nodes: Members = {
  scan: object({ kind: isKind, table: isId, scope: isText }),
  filter: object({ kind: isKind, input: isText, predicate: isExpression }),
  join: object({
    kind: isKind,
    left: isText,
    right: isText,
    join: oneOf('inner'),
    on: isExpression,
  }),
};

const isCondition = object({ where: isExpression }, { nodes: record(isNode) });
const isRule: Shape = (value) => value === 'all' || value === 'same_as_read' || isCondition(value);
const isTable = object(
  { table: isId },
  Object.fromEntries(policyActions.map((action) => [action, isRule])),
);
const hasForm = object({
  claims: list(object({ name: isText, type: oneOf(...claimTypes) })),
  tables: list(isTable),
});

function isPolicies(value: unknown): boolean {
  if (!hasForm(value)) return false;
  const { claims, tables } = value as Policies;
  return (
    isAscending(claims.map(({ name }) => name)) && isAscending(tables.map(({ table }) => table))
  );
}

function isAscending(values: readonly (string | number)[]): boolean {
  return values.every((value, i) => i === 0 || (values[i - 1] as string | number) < value);
}
