/** Relation nodes: scopes, order and bound facts, and rows (docs/lir.md §5, §7), one function a kind. */

import type {
  AggregateNode,
  FilterNode,
  Node,
  OrderNode,
  ProjectNode,
  RowsNode,
  SliceNode,
} from '#lir';
import { type Fold, foldOf, isExactSum } from './aggregate.ts';
import { bindJoin, bindSet } from './combine.ts';
import { type Document, type Errors, type Frontier, overRow, type Place } from './context.ts';
import { columnName } from './database.ts';
import { bindExpression, bindPredicate, isScalar } from './expression.ts';
import { cellValue } from './literal.ts';
import { isVisible, permits } from './policies.ts';
import { invalid, SeveralProblems } from './problem.ts';
import type { Column, Environment, Relation, Row, Scope } from './relation.ts';
import { withRow } from './relation.ts';
import { pinnedBy } from './unique-key.ts';
import { Bytes, compareValues, encode, rowIdentity, type Value } from './value.ts';

export function bindNode(id: string, place: Place): Relation {
  const node = place.document.query.nodes[id] as Node;
  switch (node.kind) {
    case 'scan':
      return bindScan(node, place.document);
    case 'rows':
      return bindRows(node, place.document);
    case 'filter':
      return bindFilter(node, place);
    case 'project':
      return bindProject(node, place);
    case 'join':
      return bindJoin(node, place);
    case 'concatenate':
    case 'intersect':
    case 'except':
      return bindSet(node, place);
    case 'aggregate':
      return bindAggregate(node, place);
    case 'order':
      return bindOrder(node, place);
    case 'slice':
      return bindSlice(node, place);
    case 'distinct': {
      const input = bindNode(node.input, place);
      const key = input.columns.flatMap((column, i) => (isScalar(column.type) ? [i] : []));
      const { errors } = place.document;
      const evaluate = (env: Environment) => distinctRows(input.evaluate(env), errors);
      return { ...input, isOrdered: false, isListed: false, key, base: undefined, evaluate };
    }
    case 'ref':
    case 'recursive_ref':
      return bindRef(node, place);
  }
}

/** The scopes of a relation whose whole row is visible under one label; the label must be new in the document. */
export function soleScope(
  label: string | undefined,
  columns: readonly Column[],
  document: Document,
): ReadonlyMap<string, Scope> {
  if (label === undefined) return new Map();
  if (document.labels.has(label)) throw invalid('duplicate_scope', label);
  document.labels.add(label);
  return new Map([[label, { offset: 0, columns }]]);
}

const unordered = { isOrdered: false, bound: Number.POSITIVE_INFINITY, key: undefined };

function bindScan(node: Extract<Node, { kind: 'scan' }>, document: Document): Relation {
  const table = document.database.tables.find((candidate) => candidate.name === node.table);
  const { database } = document;
  if (table === undefined || !isVisible(database, table)) {
    throw invalid('unknown_table', node.table);
  }
  const columns = table.columns.map(({ name, type, nullable }) => ({ name, type, nullable }));
  const names = (ids: readonly number[]) => ids.map((column) => columnName(table, column));
  const unique = table.indexes.filter((index) => index.unique).map((index) => names(index.columns));
  const primary = names(table.primaryKey);
  return {
    ...unordered,
    columns,
    scopes: soleScope(node.scope, columns, document),
    key: primary.map((name) => columns.findIndex((column) => column.name === name)),
    base: { label: node.scope, keys: [primary, ...unique], pinned: new Set() },
    evaluate: () =>
      table.rows
        .filter((row) => permits(database, table, ['read'], row))
        .map((row) => row.map((value, i) => formatted(value, table.columns[i]?.format))),
  };
}

/** The format is attached when a formatted column is scanned. */
export function formatted(value: Value, format: string | undefined): Value {
  const hasMeaning = format === 'uuid' || format === 'ulid' || format === 'xid';
  return value instanceof Bytes ? new Bytes(value.data, hasMeaning ? format : undefined) : value;
}

function bindRows(node: RowsNode, document: Document): Relation {
  const columns = node.columns.map((column) => ({
    name: column.name,
    type: column.type,
    nullable: column.nullable ?? false,
  }));
  const lists = node.rows as readonly (readonly (string | null)[])[];
  const rows = lists.map((cells) => {
    if (cells.length !== columns.length) throw invalid('schema_violation', 'rows arity');
    return cells.map((cell, i) => cellValue((columns[i] as (typeof columns)[number]).type, cell));
  });
  if (new Set(columns.map((column) => column.name)).size !== columns.length) {
    throw invalid('projection_collision');
  }
  if (rows.some((row) => row.some((value, i) => value === null && !columns[i]?.nullable))) {
    throw invalid('type_mismatch', 'NULL cell');
  }
  const scopes = soleScope(node.scope, columns, document);
  return {
    ...unordered,
    isListed: true,
    columns,
    scopes,
    bound: rows.length,
    evaluate: () => rows,
  };
}

function bindFilter(node: FilterNode, place: Place): Relation {
  const input = bindNode(node.input, place);
  const predicate = bindPredicate(node.predicate, overRow(place, input));
  const base = input.base && pinnedBy(node.predicate, input.base, place.document);
  const isUnique = base?.keys.some((key) => key.every((name) => base.pinned.has(name))) ?? false;
  const { errors } = place.document;
  return {
    ...input,
    base,
    bound: isUnique ? Math.min(1, input.bound) : input.bound,
    evaluate: (env) => {
      const beneath = errors.apart(() => input.evaluate(env));
      const kept = beneath.value.filter((row) => {
        const verdict = errors.attempt(() => predicate.evaluate(withRow(env, input, row)));
        return verdict?.value === true;
      });
      beneath.settle(kept.length > 0 || !input.skipsSides);
      return kept;
    },
  };
}

/** Applies expressions to each row; rows that fail are left out. */
export function mapRows(
  place: Place,
  input: Relation,
  env: Environment,
  toRow: (inner: Environment, row: Row) => Row,
): Row[] {
  return input.evaluate(env).flatMap((row) => {
    const made = place.document.errors.attempt(() => toRow(withRow(env, input, row), row));
    return made === undefined ? [] : [made.value];
  });
}

function bindProject(node: ProjectNode, place: Place): Relation {
  const input = bindNode(node.input, place);
  const inner = overRow(place, input);
  const spread = (node.spread ?? []).flatMap((label) => {
    const scope = input.scopes.get(label);
    if (scope === undefined) throw invalid('unknown_scope', label);
    return scope.columns.map((column, i) => ({ column, at: scope.offset + i }));
  });
  const columns: Column[] = [];
  // In the order of the document: what is wrong with a field comes before what is wrong with the next one.
  const add = (column: Column) => {
    if (columns.some(({ name }) => name === column.name)) throw invalid('projection_collision');
    columns.push(column);
  };
  for (const { column } of spread) add(column);
  const fields = (node.fields ?? []).map((field) => {
    const bound = bindExpression(field.expr, inner);
    add({ ...bound, name: field.as });
    return { ...field, bound };
  });
  const sources = [
    ...spread.map(({ at }) => at),
    ...fields.map(({ expr }) => bareColumn(expr, input)),
  ];
  const key = input.key?.map((at) => sources.indexOf(at));
  return {
    columns,
    scopes: soleScope(node.scope, columns, place.document),
    isOrdered: input.isOrdered,
    isListed: input.isListed,
    bound: input.bound,
    skipsSides: input.skipsSides,
    key: key?.every((at) => at >= 0) ? key : undefined,
    evaluate: (env) =>
      mapRows(place, input, env, (row, whole) => [
        ...spread.map(({ at }) => whole[at] as Value),
        ...fields.map(({ bound }) => bound.evaluate(row)),
      ]),
  };
}

/** The position in the input's row of an expression that is nothing but a column of it, else -1. */
function bareColumn(expression: { readonly kind: string }, input: Relation): number {
  if (expression.kind !== 'col') return -1;
  const { scope, column } = expression as unknown as { scope: string; column: string };
  const found = input.scopes.get(scope);
  if (found === undefined) return -1;
  return found.offset + found.columns.findIndex((candidate) => candidate.name === column);
}

function bindAggregate(node: AggregateNode, place: Place): Relation {
  const input = bindNode(node.input, place);
  const inner = overRow(place, input);
  const groups = (node.groups ?? []).map((term) => {
    const bound = bindExpression(term.expr, inner);
    const name = term.as ?? (term.expr.kind === 'col' ? term.expr.column : undefined);
    if (!isScalar(bound.type)) throw invalid('type_mismatch', 'group key');
    if (name === undefined) throw invalid('projection_collision', 'group name');
    return { name, bound };
  });
  const folds = (node.aggs ?? []).map((term) => {
    const argument = term.arg && bindExpression(term.arg, inner);
    return { name: term.as, argument, fold: foldOf(term.fn, argument?.type) };
  });
  const columns: Column[] = [
    ...groups.map(({ name, bound }) => ({ ...bound, name })),
    ...folds.map(({ name, fold: { type, nullable } }) => ({ name, type, nullable })),
  ];
  if (new Set(columns.map((column) => column.name)).size !== columns.length) {
    throw invalid('projection_collision');
  }
  const isGlobal = node.groups === undefined;
  return {
    columns,
    scopes: soleScope(node.scope, columns, place.document),
    isOrdered: false,
    skipsSides: input.skipsSides,
    bound: isGlobal ? 1 : input.bound,
    key: isGlobal ? undefined : groups.map((_, i) => i),
    evaluate: (env) => {
      const rows = mapRows(place, input, env, (row) => [
        ...groups.map(({ bound }) => bound.evaluate(row)),
        ...folds.map(({ argument }) => (argument === undefined ? true : argument.evaluate(row))),
      ]);
      const buckets = new Map<string, Row[]>(isGlobal ? [['', []]] : []);
      for (const row of rows) {
        const identity = rowIdentity(row.slice(0, groups.length));
        buckets.set(identity, [...(buckets.get(identity) ?? []), row]);
      }
      return [...buckets.values()].flatMap((bucket) => {
        const keys = bucket.map((row) => looksOf(row.slice(0, groups.length)));
        if (new Set(keys).size > 1) place.document.errors.isAmbiguous = true;
        const made = place.document.errors.attempt(() => [
          ...groups.map((_, i) => bucket[0]?.[i] as Value),
          ...folds.map(({ fold }, i) =>
            foldEitherWay(
              fold,
              bucket.map((row) => row[groups.length + i] as Value),
              place.document.errors,
            ),
          ),
        ]);
        return made === undefined ? [] : [made.value];
      });
    },
  };
}

/** Folds in two orders; the result is open when that makes a difference, or when another value equals the picked one and looks different. */
function foldEitherWay(fold: Fold, values: readonly Value[], errors: Errors): Value {
  const attempt = (list: readonly Value[]) => {
    try {
      return encode(fold.apply(list));
    } catch (error) {
      return String(error);
    }
  };
  const isRounded =
    fold.addsFloats && !isExactSum(values.flatMap((v) => (v === null ? [] : Number(v))));
  if (isRounded || attempt(values) !== attempt(values.toReversed())) errors.isAmbiguous = true;
  const result = fold.apply(values);
  const hasTwin = (value: Value) =>
    value !== null && compareValues(value, result) === 0 && encode(value) !== encode(result);
  if (fold.picks && result !== null && values.some(hasTwin)) errors.isAmbiguous = true;
  return result;
}

function bindOrder(node: OrderNode, place: Place): Relation {
  const input = bindNode(node.input, place);
  const inner = overRow(place, input);
  const terms = node.terms.map((term) => {
    const bound = bindExpression(term.expr, inner);
    if (!isScalar(bound.type)) throw invalid('type_mismatch', 'order term');
    const isLast = (term.nulls ?? (term.desc ? 'last' : 'first')) === 'last';
    return { bound, isLast, direction: term.desc ? -1 : 1, at: bareColumn(term.expr, input) };
  });
  const ties = (input.key ?? []).filter((at) => !terms.some((term) => term.at === at));
  return {
    ...input,
    isOrdered: true,
    evaluate: (env) => {
      const keyed = mapRows(place, input, env, (row, whole) => [
        ...terms.map(({ bound }) => bound.evaluate(row)),
        ...ties.map((at) => whole[at] as Value),
        ...whole,
      ]);
      const rules = [...terms, ...ties.map(() => ({ isLast: false, direction: 1 }))];
      const compare = (a: Row, b: Row): number => {
        for (const [i, { isLast, direction }] of rules.entries()) {
          const [left, right] = [a[i] as Value, b[i] as Value];
          if ((left === null) !== (right === null)) return (left === null) === isLast ? 1 : -1;
          const order = compareValues(left, right);
          if (order !== 0) return order * direction;
        }
        return 0;
      };
      keyed.sort(compare);
      const sorted = keyed.map((row) => row.slice(rules.length));
      const isTie = (i: number) => i > 0 && compare(keyed[i - 1] as Row, keyed[i] as Row) === 0;
      if (sorted.some((row, i) => isTie(i) && looksOf(row) !== looksOf(sorted[i - 1] as Row))) {
        place.document.errors.isAmbiguous = true;
      }
      return sorted;
    },
  };
}

function bindSlice(node: SliceNode, place: Place): Relation {
  const input = bindNode(node.input, place);
  const offset = Number(node.offset ?? 0);
  const limit = node.limit === undefined ? Number.POSITIVE_INFINITY : Number(node.limit);
  if (offset > 0 && !input.isOrdered) throw invalid('nondeterministic_order', 'offset');
  const { errors } = place.document;
  return {
    ...input,
    bound: Math.min(limit, input.bound),
    evaluate: (env) => {
      if (limit === 0) return [];
      const rows = Number.isFinite(limit)
        ? errors.tentatively(() => input.evaluate(env))
        : input.evaluate(env);
      const isCut = rows.length > limit && new Set(rows.map(looksOf)).size > 1;
      if (isCut && !input.isOrdered) errors.isAmbiguous = true;
      return rows.slice(offset, offset + limit);
    },
  };
}

/** One row of each identity class; which one is open when they look different. */
export function distinctRows(rows: readonly Row[], errors: Errors): Row[] {
  const kept = new Map<string, Row>();
  for (const row of rows) {
    const identity = rowIdentity(row);
    const earlier = kept.get(identity);
    if (earlier === undefined) kept.set(identity, row);
    else if (looksOf(earlier) !== looksOf(row)) errors.isAmbiguous = true;
  }
  return [...kept.values()];
}

/** Identical rows may differ in signs of zero and in formats. */
export function looksOf(row: Row): string {
  return row.map(encode).join();
}

function bindRef(node: Extract<Node, { kind: 'ref' | 'recursive_ref' }>, place: Place): Relation {
  const { document, frontier } = place;
  if (node.kind === 'recursive_ref') {
    if (frontier === undefined) throw invalid('unknown_binding');
    useFrontier(frontier, node);
    const scopes = soleScope(node.scope, frontier.columns, document);
    return { ...unordered, columns: frontier.columns, scopes, evaluate: () => frontier.rows };
  }
  const named = document.bindings.get(node.binding) ?? document.statements.get(node.binding);
  if (named === undefined) throw invalid('unknown_binding', node.binding);
  const { columns, isOrdered = false } = named;
  const scopes = soleScope(node.scope, columns, document);
  return { ...unordered, isOrdered, columns, scopes, evaluate: () => named.rows() };
}

/** Position rules (docs/lir.md §9.2). Which of two rules counts for another binding's frontier in an anchor is left open. */
function useFrontier(frontier: Frontier, node: Extract<Node, { kind: 'recursive_ref' | 'ref' }>) {
  if (frontier.name !== node.binding) {
    const other = invalid('unknown_binding');
    if (!frontier.isAnchor) throw other;
    throw new SeveralProblems([invalid('invalid', 'in the anchor'), other]);
  }
  if (frontier.refused.has(node)) throw invalid('invalid', 'where it may not stand');
  if (frontier.uses > 0) throw invalid('invalid', 'twice');
  frontier.uses++;
}
