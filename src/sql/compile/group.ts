/** GROUP BY and aggregates. */

import type { FuncCall, Node, SelectStmt } from 'libpg-query';
import { columnById } from '#catalog';
import type { AggregateTerm, Expression, GroupTerm } from '#lir';
import { outerUses, type Reference, type Scope, type ScopeColumn } from '../scope/scope.ts';
import { plainTypeText } from '../types/registry.ts';
import { type AggregateCall, aggregateOf, isAggregate } from './aggregate-functions.ts';
import { column } from './build.ts';
import type { AggregateSink, Compilation, Env, Typed } from './compilation.ts';
import { expression } from './expression.ts';
import { locationOf, nameParts, opened } from './nodes.ts';
import { ordinalOf } from './ordinal.ts';
import { pinLiterals, treeKey } from './tree-key.ts';

interface Grouping {
  /** The environment of expressions over the groups. */
  readonly env: Env;
  readonly isSingle: boolean;
  /** Adds the nodes that group the rows, after all expressions are compiled. */
  finish(input: string): string;
}

/** Returns how a query groups its rows; `undefined` if it does not. */
export function groupingOf(
  compilation: Compilation,
  stmt: SelectStmt,
  scope: Scope,
): Grouping | undefined {
  const { groupClause, targetList, havingClause, sortClause } = stmt;
  const lists = [
    ...(targetList ?? []),
    ...(sortClause ?? []),
    ...(havingClause ? [havingClause] : []),
  ];
  const hasGroups = groupClause !== undefined || havingClause !== undefined;
  if (!hasGroups && !lists.some(hasAggregate)) return undefined;
  const groups = new Groups(compilation, scope);
  for (const node of groupClause ?? []) groups.add(node, targetList ?? []);
  return groups;
}

/** Whether an expression has an aggregate outside of its subqueries, whose aggregates belong to them. */
function hasAggregate(node: Node): boolean {
  const open: unknown[] = [node];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== 'object' || part === null) continue;
    if ('FuncCall' in part && isAggregate((part as { FuncCall: FuncCall }).FuncCall)) return true;
    for (const [name, value] of Object.entries(part)) if (name !== 'subselect') open.push(value);
  }
  return false;
}

interface Key {
  readonly key: string;
  readonly typed: Typed;
  readonly term: GroupTerm;
}

class Groups implements Grouping, AggregateSink {
  readonly env: Env;
  private readonly compilation: Compilation;
  /** The scope of the rows that are grouped. */
  private readonly inner: Env;
  private readonly label: string;
  private readonly keys: Key[] = [];
  private readonly terms: AggregateTerm[] = [];
  /** The argument of the aggregates with DISTINCT. */
  private distinct: { readonly arg: Typed; readonly key: string } | undefined;
  private hasPlain = false;

  constructor(compilation: Compilation, scope: Scope) {
    this.compilation = compilation;
    this.inner = { compilation, scope, clause: 'GROUP BY' };
    this.label = compilation.name('s');
    const grouped: Scope['grouped'] = (found, reference) => this.groupedColumn(found, reference);
    this.env = { compilation, scope: { ...scope, grouped }, clause: 'SELECT', aggregates: this };
  }

  get isSingle(): boolean {
    return this.keys.length === 0;
  }

  /** Adds an expression of GROUP BY: an ordinal, a column, a name of the list, or another expression. */
  add(node: Node, targets: readonly Node[]): void {
    const { compilation } = this;
    if ('GroupingSet' in node)
      throw compilation.unsupported('GROUPING SETS, ROLLUP and CUBE', undefined);
    const values = targets.map((target) => ('ResTarget' in target ? target.ResTarget : {}));
    const ordinal = ordinalOf(compilation, node, 'GROUP BY', targets.length);
    const chosen = ordinal === undefined ? this.namedTarget(node, values) : values[ordinal]?.val;
    const expr = chosen ?? node;
    if (hasAggregate(expr)) {
      throw compilation.error(
        '42803',
        'aggregate functions are not allowed in GROUP BY',
        locationOf(expr),
      );
    }
    pinLiterals(compilation, expr);
    const key = treeKey(this.inner, expr);
    if (!this.keys.some((one) => one.key === key))
      this.addKey(key, expression(this.inner, expr), expr);
  }

  private namedTarget(
    node: Node,
    targets: readonly { readonly name?: string; readonly val?: Node }[],
  ): Node | undefined {
    const parts = 'ColumnRef' in node ? nameParts(node.ColumnRef.fields) : [];
    const [name] = parts;
    const isColumn = this.inner.scope.columns.some((one) => one.name === name);
    if (parts.length !== 1 || isColumn) return undefined;
    return targets.find((target) => target.name === name)?.val;
  }

  private addKey(key: string, typed: Typed, node: Node | undefined): Typed {
    const { type } = typed;
    if (type.name === 'json' || type.name === 'jsonb' || type.element !== undefined) {
      throw this.compilation.unsupported(
        `GROUP BY of type ${plainTypeText(type)}`,
        locationOf(node),
      );
    }
    const as = `g${this.keys.length + 1}`;
    const grouped = { ...typed, source: undefined, expr: column(this.label, as) };
    this.keys.push({ key, typed: grouped, term: { as, expr: typed.expr } });
    return grouped;
  }

  key(node: object): Typed | undefined {
    // Columns are found by their scope.
    const [kind] = opened(node as Node);
    if (kind === 'ColumnRef' || kind === 'A_Const' || this.keys.length === 0) return undefined;
    const key = treeKey(this.inner, node as Node);
    const known = this.keys.find((one) => one.key === key);
    if (known !== undefined) pinLiterals(this.compilation, node as Node);
    return known?.typed;
  }

  /** Returns the group key that a column is, or that determines it. */
  private groupedColumn(
    found: ScopeColumn,
    { column: name, table, location, isOuter }: Reference,
  ): ScopeColumn {
    const key = JSON.stringify({ ColumnRef: found.expr });
    const known = this.keys.find((one) => one.key === key);
    if (known !== undefined) return { ...known.typed, name: found.name };
    if (this.isDetermined(found))
      return { ...this.addKey(key, found, undefined), name: found.name };
    const owner = table ?? this.ownerOf(found);
    const text = owner === undefined ? name : `${owner}.${name}`;
    const message = isOuter
      ? `subquery uses ungrouped column "${text}" from outer query`
      : `column "${text}" must appear in the GROUP BY clause or be used in an aggregate function`;
    throw this.compilation.error('42803', message, location);
  }

  private ownerOf({ expr }: ScopeColumn): string | undefined {
    const text = JSON.stringify(expr);
    const owns = (one: ScopeColumn) => JSON.stringify(one.expr) === text;
    return this.inner.scope.tables.find(({ columns }) => columns.some(owns))?.name;
  }

  /** Whether the primary key of its table is among the group keys. */
  private isDetermined({ expr, tableId }: ScopeColumn): boolean {
    const { scope } = this.inner;
    const label = expr.kind === 'col' ? expr.scope : undefined;
    const owner = scope.tables.find(({ table, columns }) => {
      const [first] = columns;
      return table?.id === tableId && first?.expr.kind === 'col' && first.expr.scope === label;
    });
    const { table } = owner ?? {};
    if (table === undefined) return false;
    return table.primaryKey.every((id) => {
      const name = columnById(table, id)?.name as string;
      const key = JSON.stringify({ ColumnRef: column(label as string, name) });
      return this.keys.some((one) => one.key === key);
    });
  }

  aggregate(node: object): Typed {
    const call = node as FuncCall;
    const before = outerUses(this.inner.scope);
    const own = this.inner.scope.uses.count;
    const aggregate = aggregateOf({ ...this.inner, clause: 'aggregate' }, call);
    if (outerUses(this.inner.scope) > before && this.inner.scope.uses.count === own) {
      throw this.compilation.unsupported('an aggregate of an enclosing query', call.location);
    }
    const term = { fn: aggregate.fn, ...this.argumentOf(aggregate, call) };
    const key = this.compilation.keyOf({ ...term, as: '' });
    const known = this.terms.find((one) => this.compilation.keyOf({ ...one, as: '' }) === key);
    const as = known?.as ?? `a${this.terms.length + 1}`;
    if (known === undefined) this.terms.push({ ...term, as });
    const { type } = aggregate;
    return { type, expr: column(this.label, as), nullable: aggregate.fn !== 'count' };
  }

  private argumentOf(
    { arg, isDistinct }: AggregateCall,
    { location }: FuncCall,
  ): { arg?: Expression } {
    if (!isDistinct) {
      this.hasPlain = true;
      return arg === undefined ? {} : { arg: arg.expr };
    }
    const distinct = arg as Typed;
    const key = this.compilation.keyOf(distinct.expr);
    this.distinct ??= { arg: distinct, key };
    if (this.hasPlain || this.distinct.key !== key) {
      throw this.compilation.unsupported('DISTINCT in some of several aggregates', location);
    }
    return { arg: distinct.expr };
  }

  finish(input: string): string {
    const { compilation, label, keys } = this;
    if (this.distinct !== undefined && this.hasPlain) {
      throw compilation.unsupported('DISTINCT in some of several aggregates', undefined);
    }
    const terms = [...this.terms];
    if (keys.length === 0 && terms.length === 0) terms.push({ fn: 'count', as: 'a1' });
    const groups = keys.map(({ term }) => term);
    const [rows, expressionOf] = this.distinctRows(input);
    return compilation.node({
      kind: 'aggregate',
      input: rows,
      scope: label,
      ...(groups.length > 0 && {
        groups: groups.map((term) => ({ ...term, expr: expressionOf(term.expr) })),
      }),
      ...(terms.length > 0 && {
        aggs: terms.map((term) => (term.arg ? { ...term, arg: expressionOf(term.arg) } : term)),
      }),
    });
  }

  /** Groups by the argument of the aggregates, too, so that each of its values occurs once. */
  private distinctRows(input: string): readonly [string, (expr: Expression) => Expression] {
    const { compilation, keys, distinct } = this;
    if (distinct === undefined) return [input, (expr) => expr];
    const scope = compilation.name('s');
    const groups = keys.map(({ term }) => term);
    const all: readonly GroupTerm[] = [...groups, { as: 'd', expr: distinct.arg.expr }];
    const node = compilation.node({ kind: 'aggregate', input, scope, groups: all });
    return [
      node,
      (expr) => column(scope, (all.find((term) => term.expr === expr) ?? { as: 'd' }).as as string),
    ];
  }
}
