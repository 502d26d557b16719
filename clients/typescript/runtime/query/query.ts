/** Queries: immutable values that say what is wanted. What they read is known when they are compiled (relation.ts). */

import { BuildError } from '../client/build-error.ts';
import type { Code } from '../table-info.ts';
import { and, call, foldOf, literal } from './expression.ts';
import { isOrdered, isOrderedBy, losesOrder } from './order.ts';
import { type Asked, type Card, Ex, type LookedUp, OrderTerm, type Step } from './parts.ts';
import { type Call, given, type Schema, type TableShape } from './table.ts';

const many = { card: 'many', isSingle: false } as const;

/** A query, with the methods that make further ones. */
export class Q implements Asked {
  readonly step: Step;
  readonly card: Card;
  readonly isSingle: boolean;
  readonly name: string | undefined;

  /** What is not said is as the input has it. */
  constructor(step: Step, { card, isSingle, name }: Partial<Omit<Asked, 'step'>> = {}) {
    const input = 'input' in step ? step.input : undefined;
    this.step = step;
    this.card = card ?? input?.card ?? 'many';
    this.isSingle = isSingle ?? input?.isSingle ?? false;
    this.name = name ?? input?.name;
  }

  where(predicate: Call): Q {
    const card = this.card === 'one' ? 'maybe' : this.card;
    return new Q({ kind: 'where', input: this, predicate }, { card });
  }

  whereIn(of: Call, values: Iterable<unknown>): Q {
    return lookedUp(this, { of, values: [...values] });
  }

  orderBy(terms: Call): Q {
    return new Q({ kind: 'order', input: this, terms });
  }

  limit(limit: number): Q {
    return this.slice({ limit });
  }

  offset(offset: number): Q {
    return this.slice({ offset });
  }

  private slice(parts: { readonly limit?: number; readonly offset?: number }): Q {
    for (const value of Object.values(parts)) {
      if (!Number.isSafeInteger(value) || value < 0)
        throw new BuildError(`${value} is no count of rows`);
    }
    const { step } = this;
    const { limit, offset } = parts;
    // limit(…) of an offset(…) is one step.
    if (limit !== undefined && step.kind === 'slice' && step.limit === undefined)
      return new Q({ ...step, limit }, this);
    return new Q({ kind: 'slice', input: this, offset, limit });
  }

  select(fields: Call): Q {
    return new Q({ kind: 'select', input: this, fields });
  }

  join(right: Q, on: Call): Q {
    return new Q({ kind: 'join', input: this, right, join: 'inner', on }, many);
  }

  leftJoin(right: Q, on: Call): Q {
    return new Q({ kind: 'join', input: this, right, join: 'left', on }, many);
  }

  group(keys: Call, folds: Call = () => ({})): Q {
    return new Q({ kind: 'group', input: this, keys, folds }, many);
  }

  fold(folds: Call): Q {
    return new Q(
      { kind: 'group', input: this, keys: undefined, folds },
      { card: 'one', isSingle: true },
    );
  }

  distinct(): Q {
    return new Q({ kind: 'distinct', input: this });
  }

  union(other: Q): Q {
    return new Q({ kind: 'union', input: this, right: other }, many);
  }

  intersect(other: Q, all = false): Q {
    return new Q(
      { kind: 'intersect', input: this, right: other, quantifier: all ? 'all' : 'distinct' },
      many,
    );
  }

  except(other: Q, all = false): Q {
    return new Q(
      { kind: 'except', input: this, right: other, quantifier: all ? 'all' : 'distinct' },
      many,
    );
  }

  first(): Q {
    return new Q({ kind: 'same', input: this }, { card: 'maybe' });
  }

  one(): Q {
    return new Q({ kind: 'same', input: this }, { card: 'one' });
  }

  count(): Ex {
    const counted = this.fold(() => ({ n: foldOf('count', undefined, 'n') }));
    return new Ex({ kind: 'scalar', rows: counted }, 'n', true);
  }

  exists(): Ex {
    return new Ex({ kind: 'exists', rows: this }, 'b', false);
  }

  shared(): Q {
    return new Q({ kind: 'shared', input: this });
  }

  named(name: string): Q {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name) || name.startsWith('ensure_')) {
      throw new BuildError(
        `${JSON.stringify(name)} is no name: letters, digits, _ and -, at most 64, not ensure_…`,
      );
    }
    return new Q({ kind: 'same', input: this }, { name });
  }
}

/** Below an order: rows that are looked up by values come in none. */
function lookedUp(q: Asked, parts: LookedUp): Q {
  const { step } = q;
  const isAbove = step.kind === 'order' || step.kind === 'where' || step.kind === 'same';
  if (isAbove && isOrderedBy(q)) return new Q({ ...step, input: lookedUp(step.input, parts) }, q);
  return new Q({ kind: 'whereIn', input: q, ...parts });
}

/** The query with an order; a projection orders its input. */
export function ordered(q: Asked): Asked {
  if (q.isSingle || isOrdered(q)) return q;
  const { step } = q;
  if (step.kind === 'select' || step.kind === 'same')
    return new Q({ ...step, input: ordered(step.input) }, q);
  const losing = losesOrder(q);
  if (losing)
    throw new BuildError(`${losing} does not keep the order of orderBy: put orderBy behind it`);
  return new Q({ kind: 'order', input: q, terms: undefined });
}

/** Whether the columns are named one by one: what the table gets later changes nothing. */
export function isExplicit({ step }: Asked): boolean {
  switch (step.kind) {
    case 'scan':
    case 'ref':
    case 'join':
      return false;
    case 'select':
    case 'group':
    case 'rows':
    case 'page':
    case 'all':
      return true;
    case 'refQuery':
      return isExplicit(step.of);
    case 'self':
      return isExplicit(step.anchor);
    default:
      return isExplicit(step.input);
  }
}

/** By one(), not by what the schema promises: only the whole result is held to it. */
export function asksForOne({ step, card }: Asked): boolean {
  if (card !== 'one' || !('input' in step) || step.kind === 'group') return false;
  return (step.kind === 'same' && step.input.card !== 'one') || asksForOne(step.input);
}

/** All rows of a table. */
export function scanOf(schema: Schema, table: TableShape): Q {
  return new Q({ kind: 'scan', schema, table });
}

export function equalities(columns: readonly (readonly [Ex, unknown])[]): Ex {
  return and(columns.map(([column, value]) => call(column, 'eq', value)));
}

export function termsOf(found: unknown): readonly OrderTerm[] {
  const terms = Array.isArray(found) ? found : [found];
  return terms.map((term) => {
    if (term instanceof OrderTerm) return term;
    if (term instanceof Ex) return new OrderTerm(term, false);
    throw new BuildError('orderBy wants expressions');
  });
}

/** Rows that the program brings: `shape` says the codes by name. */
export function rowsQuery(
  shape: Readonly<Record<string, Code>>,
  values: readonly Readonly<Record<string, unknown>>[],
): Q {
  const columns = Object.entries(shape).map(([name, code]) => ({
    name,
    code,
    nullable: values.some((value) => (given(value, name) ?? null) === null),
  }));
  const cells = values.map((value) =>
    columns.map(({ name, code }) => literal(code, given(value, name) ?? null)),
  );
  return new Q({ kind: 'rows', columns, cells });
}

/** A recursion: `step` is told the rows of the round before. */
export function recursiveQuery(
  anchor: Q,
  step: (self: Q) => Q,
  accumulation: 'new' | 'all' = 'new',
): Q {
  const self = new Q({ kind: 'self', anchor });
  return new Q({ kind: 'recursive', input: anchor, round: step(self), self, accumulation }, many);
}
