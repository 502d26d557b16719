/** Expressions: typing by docs/lir.md §2 and §6, evaluation by walking the tree for every row. */

import type { Expression } from '#lir';
import { arithmetic, castValue, negate } from './arithmetic.ts';
import type { Place } from './context.ts';
import { bindCrossing } from './crossing.ts';
import { type Argument, rowFor } from './functions/table.ts';
import { adoptLiteral, literalValue } from './literal.ts';
import { invalid, SeveralProblems } from './problem.ts';
import type { Column, Environment, Scalar, Type } from './relation.ts';
import { matchText } from './text-match.ts';
import { compareValues, type Value } from './value.ts';

export interface Bound {
  readonly type: Type;
  readonly nullable: boolean;
  /** Columns of a row or array. */
  readonly columns?: readonly Column[];
  evaluate(environment: Environment): Value;
}

type Evaluate = (environment: Environment, crossings: readonly Value[]) => Value;

interface Part {
  readonly type: Type;
  readonly nullable: boolean;
  readonly columns?: readonly Column[] | undefined;
  readonly evaluate: Evaluate;
}

type Crossing = (environment: Environment) => Value;

/** `noCrossings`: the place forbids them (join conditions). */
export function bindExpression(expression: Expression, place: Place, noCrossings = false): Bound {
  const crossings: Crossing[] = [];
  const part = new Binder(place, crossings, noCrossings).bind(expression);
  return {
    type: part.type,
    nullable: part.nullable,
    ...(part.columns === undefined ? {} : { columns: part.columns }),
    // Every crossing of an expression is evaluated before the expression itself.
    evaluate: (environment) =>
      part.evaluate(
        environment,
        crossings.map((crossing) => crossing(environment)),
      ),
  };
}

export function bindPredicate(expression: Expression, place: Place, noCrossings = false): Bound {
  const bound = bindExpression(expression, place, noCrossings);
  if (bound.type !== 'bool') throw invalid('type_mismatch', 'predicate');
  return bound;
}

class Binder {
  private readonly place: Place;
  private readonly crossings: Crossing[];
  private readonly noCrossings: boolean;

  constructor(place: Place, crossings: Crossing[], noCrossings: boolean) {
    this.place = place;
    this.crossings = crossings;
    this.noCrossings = noCrossings;
  }

  bind(e: Expression): Part {
    switch (e.kind) {
      case 'lit': {
        const value = literalValue(e.value);
        return { type: e.value.type, nullable: value === null, evaluate: () => value };
      }
      case 'col':
        return this.column(e.scope, e.column);
      case 'unary':
        return this.unary(e.op, this.bind(e.expr));
      case 'binary':
        return this.binary(e);
      case 'cast':
        return this.cast(this.bind(e.expr), e.to);
      case 'branch':
        return this.branch(e);
      case 'coalesce':
        return this.coalesce(e);
      case 'call':
        return this.call(e);
      case 'text_match': {
        const value = this.bind(e.value);
        need(value.type === 'text', 'text_match');
        const isFolded = e.comparison === 'unicode_simple_fold';
        return {
          type: 'bool',
          nullable: value.nullable,
          evaluate: (env, c) => {
            const text = value.evaluate(env, c);
            return text === null ? null : matchText(text as string, e.parts, isFolded);
          },
        };
      }
      case 'claim': {
        const claim = this.place.document.claim?.(e.name);
        if (claim === undefined) throw invalid('invalid', 'claim');
        return { type: claim.type, nullable: true, evaluate: () => claim.value };
      }
      default: {
        if (this.noCrossings) throw invalid('invalid', 'crossing');
        const crossing = bindCrossing(e, this.place);
        const at = this.crossings.push(crossing.evaluate) - 1;
        return { ...crossing, evaluate: (_env, values) => values[at] as Value };
      }
    }
  }

  private column(scope: string, name: string): Part {
    const columns = this.place.visible.get(scope);
    if (columns === undefined) throw this.outOfReach(scope, name);
    const at = columns.findIndex((column) => column.name === name);
    if (at < 0) throw invalid('unknown_column', name);
    const { type, nullable } = columns[at] as Column;
    const nested = (columns[at] as Column & { columns?: readonly Column[] }).columns;
    return { type, nullable, columns: nested, evaluate: (env) => env[scope]?.[at] as Value };
  }

  /** A sibling's scope is not visible; what a missing column of it is called is left open. */
  private outOfReach(scope: string, name: string): Error {
    const sibling = this.place.siblings.get(scope);
    if (sibling === undefined) return invalid('unknown_scope', scope);
    const dependent = invalid('dependent_join', scope);
    if (sibling.some((column) => column.name === name)) return dependent;
    return new SeveralProblems([dependent, invalid('unknown_column', name)]);
  }

  private unary(op: string, operand: Part): Part {
    if (op === 'is_null' || op === 'is_not_null') {
      need(operand.type !== 'array', 'null test on array');
      const wanted = op === 'is_null';
      const evaluate: Evaluate = (env, c) => (operand.evaluate(env, c) === null) === wanted;
      return { type: 'bool', nullable: false, evaluate };
    }
    const numeric = operand.type === 'int64' || operand.type === 'float64';
    need(op === 'not' ? operand.type === 'bool' : numeric, op);
    const apply = op === 'not' ? (value: Value) => !value : negate;
    return {
      type: operand.type,
      nullable: operand.nullable,
      evaluate: (env, c) => {
        const value = operand.evaluate(env, c);
        return value === null ? null : apply(value);
      },
    };
  }

  private binary(e: Extract<Expression, { kind: 'binary' }>): Part {
    if (e.op === 'and' || e.op === 'or') return this.connective(e);
    const isArithmetic = ['add', 'sub', 'mul', 'div'].includes(e.op);
    const [left, right] = this.operands(e.left, e.right);
    const nullable = left.nullable || right.nullable;
    if (isArithmetic) {
      for (const { type } of [left, right]) need(type === 'int64' || type === 'float64', e.op);
      const type = left.type === 'int64' && right.type === 'int64' ? 'int64' : 'float64';
      const widen = (value: Value) => (type === 'float64' ? Number(value) : value);
      const apply = (a: Value, b: Value) => arithmetic(e.op, widen(a), widen(b));
      return { type, nullable, evaluate: strict(left, right, apply) };
    }
    need(isScalar(left.type) && left.type === right.type, 'comparison');
    const test = comparisons[e.op] as (order: number) => boolean;
    const apply = (a: Value, b: Value) => test(compareValues(a, b));
    return { type: 'bool', nullable, evaluate: strict(left, right, apply) };
  }

  /** The one operand that is a literal takes the type of the other. */
  private operands(left: Expression, right: Expression): readonly [Part, Part] {
    if ((left.kind === 'lit') === (right.kind === 'lit'))
      return [this.bind(left), this.bind(right)];
    if (left.kind === 'lit') {
      const other = this.bind(right);
      return [this.adopted(left, other), other];
    }
    const other = this.bind(left);
    return [other, this.adopted(right as Extract<Expression, { kind: 'lit' }>, other)];
  }

  private adopted(literal: Extract<Expression, { kind: 'lit' }>, other: Part): Part {
    need(isScalar(other.type), 'literal beside a nested value');
    const value = adoptLiteral(literal.value, other.type as Scalar);
    return { type: other.type, nullable: value === null, evaluate: () => value };
  }

  /** Iterative over a left-folded chain: it may be long. */
  private connective(e: Extract<Expression, { kind: 'binary' }>): Part {
    const terms: Expression[] = [];
    let chain: Expression = e;
    while (chain.kind === 'binary' && chain.op === e.op) {
      terms.unshift(chain.right);
      chain = chain.left;
    }
    const parts = [chain, ...terms].map((term) => this.bind(term));
    for (const part of parts) need(part.type === 'bool', e.op);
    const deciding = e.op === 'or';
    return {
      type: 'bool',
      nullable: parts.some((part) => part.nullable),
      evaluate: (env, c) => {
        let isUnknown = false;
        for (const part of parts) {
          const value = part.evaluate(env, c);
          if (value === deciding) return deciding;
          isUnknown ||= value === null;
        }
        return isUnknown ? null : !deciding;
      },
    };
  }

  private cast(operand: Part, to: Scalar): Part {
    const numeric = ['int64', 'float64'];
    const isAllowed = numeric.includes(operand.type) && numeric.includes(to);
    need(operand.type === to || isAllowed, 'cast');
    return {
      type: to,
      nullable: operand.nullable,
      evaluate: (env, c) => {
        const value = operand.evaluate(env, c);
        return value === null ? null : castValue(value, to);
      },
    };
  }

  private branch(e: Extract<Expression, { kind: 'branch' }>): Part {
    const inner = new Binder(this.place, this.crossings, true);
    const arms = e.branches.map((arm) => {
      const when = inner.bind(arm.when);
      need(when.type === 'bool', 'branch predicate');
      return { when, then: inner.bind(arm.then) };
    });
    const otherwise = inner.bind(e.else);
    const results = [...arms.map((arm) => arm.then), otherwise];
    const { type } = results[0] as Part;
    need(isScalar(type) && results.every((result) => result.type === type), 'branch results');
    return {
      type,
      nullable: results.some((result) => result.nullable),
      evaluate: (env, c) => {
        const chosen = arms.find((arm) => arm.when.evaluate(env, c) === true);
        return (chosen?.then ?? otherwise).evaluate(env, c);
      },
    };
  }

  private call(e: Extract<Expression, { kind: 'call' }>): Part {
    const parts = e.args.map((arg) => (arg.kind === 'lit' ? undefined : this.bind(arg)));
    const given = e.args.map((arg, i): Argument => {
      if (arg.kind === 'lit') return { type: arg.value.type, literal: arg };
      return { type: (parts[i] as Part).type, literal: undefined };
    });
    const row = rowFor(e.fn, given);
    const args = parts.map((part, i): Part => {
      const { literal } = given[i] as Argument;
      if (part !== undefined || literal === undefined) return part as Part;
      const value = adoptLiteral(literal.value, row.args[i] as Scalar);
      const type = row.args[i] as Scalar;
      return { type, nullable: value === null, evaluate: () => value };
    });
    const refuses = e.fn === 'not_null';
    return {
      type: row.result,
      nullable: !refuses && args.some((arg) => arg.nullable),
      evaluate: (env, c) => {
        const values = args.map((arg) => arg.evaluate(env, c));
        if (!values.includes(null)) return row.value(...values);
        if (refuses) throw invalid('constraint_violation', 'not_null');
        return null;
      },
    };
  }

  private coalesce(e: Extract<Expression, { kind: 'coalesce' }>): Part {
    const later = new Binder(this.place, this.crossings, true);
    const args = e.args.map((arg, i) => (i === 0 ? this.bind(arg) : later.bind(arg)));
    const { type } = args[0] as Part;
    need(isScalar(type) && args.every((arg) => arg.type === type), 'coalesce values');
    return {
      type,
      nullable: args.every((arg) => arg.nullable),
      evaluate: (env, c) => {
        for (const arg of args) {
          const value = arg.evaluate(env, c);
          if (value !== null) return value;
        }
        return null;
      },
    };
  }
}

const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
};

/** Both operands first, then NULL. */
function strict(left: Part, right: Part, apply: (a: Value, b: Value) => Value): Evaluate {
  return (env, c) => {
    const a = left.evaluate(env, c);
    const b = right.evaluate(env, c);
    return a === null || b === null ? null : apply(a, b);
  };
}

export function isScalar(type: Type): type is Scalar {
  return type !== 'row' && type !== 'array';
}

function need(condition: boolean, what: string): void {
  if (!condition) throw invalid('type_mismatch', what);
}
