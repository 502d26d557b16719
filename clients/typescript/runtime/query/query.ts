/** Queries: immutable values that say what is wanted. What they read is known when they are compiled (relation.ts). */

import { BuildError } from '../client/build-error.ts';
import type { Code } from '../table-info.ts';
import { and, call, Ex, foldOf, literal, OrderTerm } from './expression.ts';
import { isOrdered, isOrderedBy, losesOrder } from './order.ts';
import { type Call, given } from './table.ts';

/** How many rows the query stands for: an array, an object or null, an object. */
export type Card = 'many' | 'maybe' | 'one';

const many = { card: 'many', isSingle: false } as const;

/** `op` and its parts; `inputs` are queries. */
export class Q {
  readonly op: string;
  readonly inputs: readonly Q[];
  readonly with: Readonly<Record<string, unknown>>;
  readonly card: Card;
  /** Proven by key: no order is needed. */
  readonly isSingle: boolean;
  readonly name: string | undefined;

  constructor(
    op: string,
    inputs: readonly Q[],
    parts: Readonly<Record<string, unknown>>,
    { card, isSingle, name }: Partial<Pick<Q, 'card' | 'isSingle' | 'name'>> = {},
  ) {
    this.op = op;
    this.inputs = inputs;
    this.with = parts;
    this.card = card ?? inputs[0]?.card ?? 'many';
    this.isSingle = isSingle ?? inputs[0]?.isSingle ?? false;
    this.name = name ?? inputs[0]?.name;
  }

  /** The step on top of this one. */
  private on(op: string, parts: Readonly<Record<string, unknown>>, more: Partial<Q> = {}): Q {
    return new Q(op, [this], parts, more);
  }

  where(predicate: Call): Q {
    return this.on('where', { predicate }, { card: this.card === 'one' ? 'maybe' : this.card });
  }

  whereIn(of: Call, values: Iterable<unknown>): Q {
    return this.lookedUp({ of, values: [...values] });
  }

  /** Below an order: rows that are looked up by values come in none. */
  private lookedUp(parts: Readonly<Record<string, unknown>>): Q {
    if (!isOrderedBy(this) || this.op === 'select' || this.op === 'slice')
      return this.on('whereIn', parts);
    return new Q(this.op, [(this.inputs[0] as Q).lookedUp(parts)], this.with, this);
  }

  orderBy(terms: Call): Q {
    return this.on('order', { terms });
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
    const { limit, offset } = parts;
    // limit(…) of an offset(…) is one step.
    if (limit !== undefined && this.op === 'slice' && this.with['limit'] === undefined) {
      return new Q('slice', this.inputs, { ...this.with, limit }, this);
    }
    return this.on('slice', { offset, limit });
  }

  select(fields: Call): Q {
    return this.on('select', { fields });
  }

  join(right: Q, on: Call): Q {
    return this.beside('join', right, { on, join: 'inner' });
  }

  leftJoin(right: Q, on: Call): Q {
    return this.beside('join', right, { on, join: 'left' });
  }

  private beside(op: string, other: Q, parts: Readonly<Record<string, unknown>>): Q {
    return new Q(op, [this, other], parts, many);
  }

  group(keys: Call, folds: Call = () => ({})): Q {
    return this.on('group', { keys, folds }, many);
  }

  fold(folds: Call): Q {
    return this.on('group', { folds }, { card: 'one', isSingle: true });
  }

  distinct(): Q {
    return this.on('distinct', {});
  }

  union(other: Q): Q {
    return this.beside('set', other, { kind: 'concatenate' });
  }

  intersect(other: Q, all = false): Q {
    return this.setOf('intersect', other, all);
  }

  except(other: Q, all = false): Q {
    return this.setOf('except', other, all);
  }

  private setOf(kind: string, other: Q, all: boolean): Q {
    const quantifier = all ? 'all' : 'distinct';
    return this.beside('set', other, { kind, quantifier });
  }

  first(): Q {
    return this.on('same', {}, { card: 'maybe' });
  }

  one(): Q {
    return this.on('same', {}, { card: 'one' });
  }

  count(): Ex {
    const counted = this.fold(() => ({ n: foldOf('count', undefined, 'n') }));
    return new Ex('scalar', [counted, undefined, true], 'n', true);
  }

  exists(): Ex {
    return new Ex('exists', [this], 'b', false);
  }

  shared(): Q {
    return new Q('shared', [this], {});
  }

  named(name: string): Q {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name) || name.startsWith('ensure_')) {
      throw new BuildError(
        `${JSON.stringify(name)} is no name: letters, digits, _ and -, at most 64, not ensure_…`,
      );
    }
    return this.on('same', {}, { name });
  }
}

/** The query with an order; a projection orders its input. */
export function ordered(q: Q): Q {
  if (q.isSingle || isOrdered(q)) return q;
  const [input] = q.inputs;
  if (q.op === 'select' || q.op === 'same') return new Q(q.op, [ordered(input as Q)], q.with, q);
  const step = losesOrder(q);
  if (step)
    throw new BuildError(`${step} does not keep the order of orderBy: put orderBy behind it`);
  return new Q('order', [q], {});
}

/** Whether the columns are named one by one: what the table gets later changes nothing. */
export function isExplicit(q: Q): boolean {
  switch (q.op) {
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
      return isExplicit(q.with['of'] as Q);
    case 'self':
      return isExplicit(q.with['anchor'] as Q);
    default:
      return isExplicit(q.inputs[0] as Q);
  }
}

/** By one(), not by what the schema promises: only the whole result is held to it. */
export function asksForOne(q: Q): boolean {
  const [input] = q.inputs;
  if (q.card !== 'one' || input === undefined || q.op === 'group') return false;
  return (q.op === 'same' && input.card !== 'one') || asksForOne(input);
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
  return new Q('rows', [], { columns, cells });
}

/** A recursion: `step` is told the rows of the round before. */
export function recursiveQuery(
  anchor: Q,
  step: (self: Q) => Q,
  accumulation: 'new' | 'all' = 'new',
): Q {
  const self = new Q('self', [], { anchor });
  return new Q('recursive', [anchor, step(self)], { self, accumulation }, many);
}
