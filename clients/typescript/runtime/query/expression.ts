/** Expressions: values of rows, made by methods of each other. Untyped here; applications see the interfaces of types.ts. */

import { BuildError } from '../client/build-error.ts';
import type { Code } from '../table-info.ts';
import { codeOfType, type LirType, typeOf } from '../wire/codec.ts';
import type { ValueReader } from './table.ts';

type Method = (this: Ex, ...parts: never[]) => Ex;

/** `op` is a kind of LIR or an operator of one; `code` tells how the value comes back. */
interface Nested {
  readonly read: ValueReader;
}

export class Ex {
  readonly op: string;
  readonly args: readonly unknown[];
  readonly code: Code;
  readonly nullable: boolean;
  /** Of a column, once it was wanted. */
  text: string | undefined;
  /** Of nested rows: how they are read. */
  nested: Nested | undefined;

  constructor(op: string, args: readonly unknown[], code: Code, nullable: boolean) {
    this.op = op;
    this.args = args;
    this.code = code;
    this.nullable = nullable;
    this.text = undefined;
    this.nested = undefined;
  }
}

export function literal(code: Code, value: unknown): Ex {
  if (value === undefined) throw new BuildError('a value is undefined');
  return new Ex('lit', [value], code, value === null);
}

/** A value beside an expression takes its code: `p.score.eq(3)`. */
function beside(other: unknown, code: Code): Ex {
  if (other instanceof Ex) return other;
  if (other === null) throw new BuildError('nothing equals NULL: use isNull(), or same()');
  return literal(code, other);
}

const mixed = (left: Code, right: Code): Code => (left === right ? left : 'i');

const compare = (op: string): Method =>
  function (other: unknown) {
    const right = beside(other, this.code);
    return new Ex('binary', [op, this, right], 'b', this.nullable || right.nullable);
  };
const calculate = (op: string): Method =>
  function (other: unknown) {
    const right = beside(other, this.code);
    const code = typeOf(this.code) === 'int64' ? mixed(this.code, right.code) : this.code;
    return new Ex('binary', [op, this, right], code, this.nullable || right.nullable);
  };
const unary = (op: string, isTest: boolean): Method =>
  function () {
    return new Ex('unary', [op, this], isTest ? 'b' : this.code, !isTest && this.nullable);
  };
const cast = (code: Code): Method =>
  function () {
    return typeOf(this.code) === typeOf(code)
      ? new Ex('as', [this], code, this.nullable)
      : new Ex('cast', [this, typeOf(code)], code, this.nullable);
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
    return new Ex(
      'text_match',
      [this, text === '' && !before && !after ? [] : all, fold],
      'b',
      this.nullable,
    );
  };
const anyMany = { kind: 'any_many' } as const;

/** Term of an order. */
export class OrderTerm {
  readonly ex: Ex;
  readonly desc: boolean;
  constructor(ex: Ex, desc: boolean) {
    this.ex = ex;
    this.desc = desc;
  }
}

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
    return new Ex('text_match', [this, parts, fold], 'b', this.nullable);
  },
  between(this: Ex, low: unknown, high: unknown) {
    return and([call(this, 'gte', low), call(this, 'lte', high)]);
  },
  in(this: Ex, values: Iterable<unknown>) {
    if (typeof values === 'string' || (values[Symbol.iterator]() as unknown) === values)
      throw new BuildError('in wants a list: a text is one value, and an iterator is read once');
    return new Ex(
      'in',
      [this, [...values].map((value) => beside(value, this.code))],
      'b',
      this.nullable,
    );
  },
  /** Equal, or both NULL. */
  same(this: Ex, other: unknown) {
    if (other === null) return call(this, 'isNull');
    const right = beside(other, this.code);
    const equal = call(this, 'eq', right);
    if (!this.nullable && !right.nullable) return equal;
    const both = and([call(this, 'isNull'), call(right, 'isNull')]);
    return new Ex(
      'binary',
      ['or', new Ex('coalesce', [equal, literal('b', false)], 'b', false), both],
      'b',
      false,
    );
  },
  orElse(this: Ex, other: unknown) {
    const last = beside(other, this.code);
    return new Ex('coalesce', [this, last], mixed(this.code, last.code), last.nullable);
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
    const known = results.find((result) => result instanceof Ex) as Ex | undefined;
    const plain = results.find((result) => result !== null);
    const code = known?.code ?? codeOfValue(plain);
    const all = results.map((result) => (result instanceof Ex ? result : literal(code, result)));
    const last = all.pop() as Ex;
    const arms = this.arms.map(([test], i) => [test, all[i]]);
    return new Ex(
      'branch',
      [arms, last],
      code,
      [...all, last].some(({ nullable }) => nullable),
    );
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
  new Ex('fold', [fn, ex], code, fn !== 'count');
