/** Full joins: the left join, and the rows of the right side that match none of the left side. */

import type { Expression } from '#lir';
import type { Scope, ScopeColumn } from '../scope/scope.ts';
import { column, hasCrossing, not } from './build.ts';
import type { Compilation } from './compilation.ts';
import type { FromPart, Sides } from './join.ts';

/** Compiles the condition of the join for other references to its sides. */
type ConditionOf = (sides: Sides) => Expression;

/** Returns the joined rows, and both sides with their columns in these rows. */
export function fullJoin(
  compilation: Compilation,
  { left, right, parent }: Sides,
  conditionOf: ConditionOf,
): { readonly node: string; readonly left: FromPart; readonly right: FromPart } {
  const [ofLeft, ofRight] = [new Side(compilation, left), new Side(compilation, right)];
  const matching = joined(compilation, [ofLeft, ofRight], parent, conditionOf);
  const unmatched = rest(compilation, [ofLeft, ofRight], parent, conditionOf);
  const scope = compilation.name('s');
  const inputs = [matching, unmatched];
  const node = compilation.node({ kind: 'concatenate', inputs, scope });
  const count = ofLeft.columns.length;
  return { node, left: ofLeft.within(scope, 0), right: ofRight.within(scope, count) };
}

/** A side of the join, as a binding that is read twice. */
class Side {
  readonly columns: readonly ScopeColumn[];
  private readonly compilation: Compilation;
  private readonly part: FromPart;
  private readonly binding: string;

  constructor(compilation: Compilation, part: FromPart) {
    this.compilation = compilation;
    this.part = part;
    const all = [...part.tables.flatMap((table) => table.columns), ...part.columns];
    const distinct = new Map(all.map((one) => [JSON.stringify(one.expr), one]));
    this.columns = [...distinct.values()];
    this.binding = compilation.name('b');
    const fields = this.columns.map(({ expr }, at) => ({ as: `c${at + 1}`, expr }));
    const node = compilation.node({ kind: 'project', input: part.node, fields });
    compilation.bind(this.binding, { kind: 'derived', node });
  }

  /** Reads the rows of the side. */
  read(): FromPart {
    const scope = this.compilation.name('s');
    const node = this.compilation.node({ kind: 'ref', binding: this.binding, scope });
    return { ...this.within(scope, 0), node };
  }

  /** Returns the side with its columns in other rows, beginning at a column of theirs. */
  within(scope: string, from: number): FromPart {
    const keys = this.columns.map((one) => JSON.stringify(one.expr));
    const moved = (one: ScopeColumn): ScopeColumn => {
      const at = keys.indexOf(JSON.stringify(one.expr));
      return { ...one, expr: column(scope, `c${from + at + 1}`), nullable: true };
    };
    const { node, tables, columns } = this.part;
    return {
      node,
      tables: tables.map((table) => ({ ...table, columns: table.columns.map(moved) })),
      columns: columns.map(moved),
    };
  }

  /** Returns the columns in the rows of `part`, which `read` returned. */
  expressionsIn(part: FromPart): readonly Expression[] {
    const [first] = [...part.tables.flatMap((table) => table.columns), ...part.columns];
    const scope = first?.expr.kind === 'col' ? first.expr.scope : '';
    return this.columns.map((_, at) => column(scope, `c${at + 1}`));
  }
}

type BothSides = readonly [Side, Side];

function joined(
  compilation: Compilation,
  [ofLeft, ofRight]: BothSides,
  parent: Scope,
  conditionOf: ConditionOf,
): string {
  const [left, right] = [ofLeft.read(), ofRight.read()];
  const on = conditionOf({ left, right, parent });
  if (hasCrossing(on)) {
    const hint = 'Compute it in a common table expression.';
    throw compilation.unsupported('a subquery in the condition of an outer join', undefined, hint);
  }
  const [first, second] = [left.node, right.node];
  const input = compilation.node({ kind: 'join', left: first, right: second, join: 'left', on });
  const all = [...ofLeft.expressionsIn(left), ...ofRight.expressionsIn(right)];
  const fields = all.map((expr, at) => ({ as: `c${at + 1}`, expr }));
  return compilation.node({ kind: 'project', input, fields });
}

function rest(
  compilation: Compilation,
  [ofLeft, ofRight]: BothSides,
  parent: Scope,
  conditionOf: ConditionOf,
): string {
  const [left, right] = [ofLeft.read(), ofRight.read()];
  const on = conditionOf({ left, right, parent });
  const node = compilation.node({ kind: 'filter', input: left.node, predicate: on });
  const predicate = not({ kind: 'exists', node });
  const input = compilation.node({ kind: 'filter', input: right.node, predicate });
  const none = ofLeft.columns.map(
    ({ type }): Expression => ({ kind: 'lit', value: { type: type.stored } }),
  );
  const all = [...none, ...ofRight.expressionsIn(right)];
  const fields = all.map((expr, at) => ({ as: `c${at + 1}`, expr }));
  return compilation.node({ kind: 'project', input, fields });
}
