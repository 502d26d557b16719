/** Expressions: values of rows, made by methods of each other. Untyped here; applications see the interfaces of types.ts. */

import { BuildError } from '../client/build-error.ts';
import type { Code } from '../table-info.ts';
import { codeOfType, type LirType, typeOf } from '../wire/codec.ts';
import { Ex, OrderTerm } from './parts.ts';

type Method = (this: Ex, ...parts: never[]) => Ex;

/** A column that a relation of the document `owner` gives. */
export function columnEx(
  [scope, column, owner]: readonly [scope: string, column: string, owner: number],
  code: Code,
  nullable: boolean,
): Ex {
  return new Ex({ kind: 'col', scope, column, owner }, code, nullable);
}

export function literal(code: Code, value: unknown): Ex {
  if (value === undefined) throw new BuildError('a value is undefined');
  return new Ex({ kind: 'lit', value }, code, value === null);
}

/** A value beside an expression takes its code: `p.score.eq(3)`. */
function beside(other: unknown, code: Code): Ex {
  if (other instanceof Ex) return other;
  if (other === null) throw new BuildError('nothing equals NULL: use isNull(), or same()');
  return literal(code, other);
}

const mixed = (left: Code, right: Code): Code => (left === right ? left : 'i');

const binary = (op: string, left: Ex, right: Ex, code: Code) =>
  new Ex({ kind: 'binary', op, left, right }, code, left.nullable || right.nullable);

const compare = (op: string): Method =>
  function (other: unknown) {
    const right = beside(other, this.code);
    return binary(op, this, right, 'b');
  };
const calculate = (op: string): Method =>
  function (other: unknown) {
    const right = beside(other, this.code);
    const code = typeOf(this.code) === 'int64' ? mixed(this.code, right.code) : this.code;
    return binary(op, this, right, code);
  };
const unary = (op: string, isTest: boolean): Method =>
  function () {
    return new Ex(
      { kind: 'unary', op, of: this },
      isTest ? 'b' : this.code,
      !isTest && this.nullable,
    );
  };
const cast = (code: Code): Method =>
  function () {
    return typeOf(this.code) === typeOf(code)
      ? new Ex({ kind: 'as', of: this }, code, this.nullable)
      : new Ex({ kind: 'cast', of: this, to: typeOf(code) }, code, this.nullable);
  };
const match = (before: boolean, after: boolean): Method =>
  function (text: string, options?: { fold?: boolean }) {
    const fold = options?.fold ?? false;
    const parts = [
      ...(before ? [anyMany] : []),
      { kind: 'literal', value: text },
      ...(after ? [anyMany] : []),
    ];
    // A pattern has no empty literal.
    const all = text === '' ? [anyMany] : parts;
    return matching(this, text === '' && !before && !after ? [] : all, fold);
  };
const anyMany = { kind: 'any_many' } as const;
const matching = (of: Ex, pattern: readonly unknown[], isFolded: boolean) =>
  new Ex({ kind: 'text_match', of, pattern, isFolded }, 'b', of.nullable);

const each = (ops: readonly string[], make: (op: string) => Method) =>
  Object.fromEntries(ops.map((op) => [op, make(op)]));

const methods: Readonly<Record<string, unknown>> = {
  ...each(['add', 'sub', 'mul', 'div'], calculate),
  ...each(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'and', 'or'], compare),
  not: unary('not', false),
  neg: unary('negate', false),
  isNull: unary('is_null', true),
  isNotNull: unary('is_not_null', true),
  int: cast('i'),
  float: cast('f'),
  asBigint: cast('i'),
  asNumber: cast('n'),
  startsWith: match(false, true),
  endsWith: match(true, false),
  contains: match(true, true),
  /** A pattern with `*` for any text. */
  match(this: Ex, pattern: string, { fold = false }: { fold?: boolean } = {}) {
    const parts = pattern
      .split(/(\*)/)
      .filter((part) => part !== '')
      .map((part) => (part === '*' ? anyMany : { kind: 'literal', value: part }));
    return matching(this, parts, fold);
  },
  between(this: Ex, low: unknown, high: unknown) {
    return and([call(this, 'gte', low), call(this, 'lte', high)]);
  },
  in(this: Ex, values: Iterable<unknown>) {
    if (typeof values === 'string' || (values[Symbol.iterator]() as unknown) === values)
      throw new BuildError('in wants a list: a text is one value, and an iterator is read once');
    const all = [...values].map((value) => beside(value, this.code));
    return new Ex({ kind: 'in', of: this, values: all }, 'b', this.nullable);
  },
  /** Equal, or both NULL. */
  same(this: Ex, other: unknown) {
    if (other === null) return call(this, 'isNull');
    const right = beside(other, this.code);
    const equal = call(this, 'eq', right);
    if (!this.nullable && !right.nullable) return equal;
    const both = and([call(this, 'isNull'), call(right, 'isNull')]);
    const sure = new Ex({ kind: 'coalesce', args: [equal, literal('b', false)] }, 'b', false);
    return new Ex({ kind: 'binary', op: 'or', left: sure, right: both }, 'b', false);
  },
  orElse(this: Ex, other: unknown) {
    const last = beside(other, this.code);
    return new Ex(
      { kind: 'coalesce', args: [this, last] },
      mixed(this.code, last.code),
      last.nullable,
    );
  },
  asc(this: Ex) {
    return new OrderTerm(this, false);
  },
  desc(this: Ex) {
    return new OrderTerm(this, true);
  },
};
Object.assign(Ex.prototype, methods);

export function call(ex: Ex, method: string, ...parts: readonly unknown[]): Ex {
  return (ex as unknown as Record<string, (...all: readonly unknown[]) => Ex>)[method]?.(
    ...parts,
  ) as Ex;
}

export function and(parts: readonly Ex[]): Ex {
  return parts.reduce((left, right) => call(left, 'and', right));
}

/** `when(p, x).when(q, y).else(z)` */
export class Branch {
  readonly arms: readonly (readonly [Ex, unknown])[];
  constructor(arms: readonly (readonly [Ex, unknown])[]) {
    this.arms = arms;
  }
  when(test: Ex, then: unknown): Branch {
    return new Branch([...this.arms, [test, then]]);
  }
  else(otherwise: unknown): Ex {
    const results = [...this.arms.map(([, then]) => then), otherwise];
    const known = results.find((result) => result instanceof Ex);
    const plain = results.find((result) => result !== null);
    const code = known?.code ?? codeOfValue(plain);
    const exOf = (result: unknown) => (result instanceof Ex ? result : literal(code, result));
    const arms = this.arms.map(([test, then]) => [test, exOf(then)] as const);
    const last = exOf(otherwise);
    const nullable = last.nullable || arms.some(([, then]) => then.nullable);
    return new Ex({ kind: 'branch', arms, last }, code, nullable);
  }
}

function codeOfValue(value: unknown): Code {
  const types: Readonly<Record<string, LirType>> = {
    string: 'text',
    boolean: 'bool',
    bigint: 'int64',
    number: Number.isInteger(value) ? 'int64' : 'float64',
  };
  const type = value instanceof Uint8Array ? 'bytes' : types[typeof value];
  if (type === undefined) throw new BuildError(`${String(value)} is no value of a column`);
  return codeOfType(type, value);
}

export const foldOf = (fn: string, ex: Ex | undefined, code: Code): Ex =>
  new Ex({ kind: 'fold', fn, of: ex }, code, fn !== 'count');
