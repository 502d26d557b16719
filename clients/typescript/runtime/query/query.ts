/** Queries: immutable values that say what is wanted. What they read is known when they are compiled (relation.ts). */

import { BuildError } from '../client/build-error.ts';
import type { Code } from '../table-info.ts';
import { and, call, Ex, foldOf, literal, OrderTerm } from './expression.ts';
import { isOrdered, isOrderedBy, losesOrder } from './order.ts';
import type { Asked, Card, LookedUp, Step, StepBeside, StepOver } from './step.ts';
import { type Call, given } from './table.ts';

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

  private on(step: StepOver, more: Partial<Omit<Asked, 'step'>> = {}): Q {
    return new Q({ ...step, input: this }, more);
  }

  where(predicate: Call): Q {
    const card = this.card === 'one' ? 'maybe' : this.card;
    return this.on({ kind: 'where', predicate }, { card });
  }

  whereIn(of: Call, values: Iterable<unknown>): Q {
    return lookedUp(this, { of, values: [...values] });
  }

  orderBy(terms: Call): Q {
    return this.on({ kind: 'order', terms });
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
    return this.on({ kind: 'slice', offset, limit });
  }

  select(fields: Call): Q {
    return this.on({ kind: 'select', fields });
  }

  join(right: Q, on: Call): Q {
    return this.beside(right, { kind: 'join', join: 'inner', on });
  }

  leftJoin(right: Q, on: Call): Q {
    return this.beside(right, { kind: 'join', join: 'left', on });
  }

  private beside(right: Q, step: StepBeside): Q {
    return new Q({ ...step, input: this, right }, many);
  }

  group(keys: Call, folds: Call = () => ({})): Q {
    return this.on({ kind: 'group', keys, folds }, many);
  }

  fold(folds: Call): Q {
    return this.on({ kind: 'group', keys: undefined, folds }, { card: 'one', isSingle: true });
  }

  distinct(): Q {
    return this.on({ kind: 'distinct' });
  }

  union(other: Q): Q {
    return this.beside(other, { kind: 'union' });
  }

  intersect(other: Q, all = false): Q {
    return this.beside(other, { kind: 'intersect', quantifier: all ? 'all' : 'distinct' });
  }

  except(other: Q, all = false): Q {
    return this.beside(other, { kind: 'except', quantifier: all ? 'all' : 'distinct' });
  }

  first(): Q {
    return this.on({ kind: 'same' }, { card: 'maybe' });
  }

  one(): Q {
    return this.on({ kind: 'same' }, { card: 'one' });
  }

  count(): Ex {
    const counted = this.fold(() => ({ n: foldOf('count', undefined, 'n') }));
    return new Ex('scalar', [counted, undefined, true], 'n', true);
  }

  exists(): Ex {
    return new Ex('exists', [this], 'b', false);
  }

  shared(): Q {
    return this.on({ kind: 'shared' });
  }

  named(name: string): Q {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name) || name.startsWith('ensure_')) {
      throw new BuildError(
        `${JSON.stringify(name)} is no name: letters, digits, _ and -, at most 64, not ensure_…`,
      );
    }
    return this.on({ kind: 'same' }, { name });
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
