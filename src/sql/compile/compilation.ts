/** The state of compiling one statement: its parameters, its late parts, and the counters of names. */

import type { Binding, Expression, Node, Query } from '#lir';
import type { CompileInput } from '../compile-input.ts';
import type { SettingEffect, SqlValue } from '../compiled.ts';
import { positionOf } from '../parse/position.ts';
import type { Scope } from '../scope/scope.ts';
import { SqlError, type SqlTrouble, sqlError } from '../sql-error.ts';
import { plainTypeText } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { writeText } from '../types/write-text.ts';
import { type Late, type LateParts, lateLiteral, type ValueSource } from './late.ts';
import { reachable } from './reachable.ts';

/** Nesting of expressions and queries beyond which a statement is refused. */
const depthMax = 1000;

const generalHint = 'Run `svc docs sql` for the statements, types and functions of svc.';

/** The environment of an expression. */
export interface Env {
  readonly compilation: Compilation;
  readonly scope: Scope;
  /** The clause that contains the expression, as PostgreSQL names it. */
  readonly clause: string;
  /** The aggregates of the query; absent where aggregates are not allowed. */
  readonly aggregates?: AggregateSink | undefined;
}

/** Takes the aggregates of a grouped query, and finds expressions that are group keys. */
export interface AggregateSink {
  /** Returns the group key that is this expression. */
  key(node: object): Typed | undefined;
  aggregate(node: object): Typed;
}

/** An expression with its SQL type. */
export interface Typed {
  readonly type: SqlType;
  readonly expr: Expression;
  readonly nullable: boolean;
  /** Computes the value, if it is known before the statement runs. */
  readonly source?: ValueSource | undefined;
  /** Whether the expression is an array of rows that have one column, instead of the text of an array. */
  readonly isNested?: boolean | undefined;
  /** Schema ids, if the expression is a column of a table. */
  readonly tableId?: number | undefined;
  readonly columnId?: number | undefined;
}

/** A string, NULL or parameter whose type the context decides. */
export interface Untyped {
  readonly type: undefined;
  readonly of:
    | { readonly kind: 'text'; readonly text: string; readonly cut?: number }
    | { readonly kind: 'null' }
    | { readonly kind: 'parameter'; readonly number: number };
  readonly location: number | undefined;
}

export type Operand = Typed | Untyped;

export class Compilation {
  readonly input: CompileInput;
  readonly late: LateParts = new Map();
  readonly pinned = new Set<number>();
  readonly effects: SettingEffect[] = [];
  private readonly parameters: (SqlType | undefined)[];
  /** The nodes and bindings of the relation that is being compiled. */
  private nodes: Record<string, Node> = {};
  private bindings: Record<string, Binding> = {};
  private readonly lateNumbers = new Map<object, number>();
  private count = 0;
  private depth = 0;

  constructor(input: CompileInput) {
    this.input = input;
    this.parameters = [...input.parameterTypes];
  }

  /** Returns a name that no other node, scope or binding of the statement has. */
  name(prefix: string): string {
    return `${prefix}${++this.count}`;
  }

  node(node: Node, late?: (id: string) => Late): string {
    const id = this.name('n');
    this.nodes[id] = node;
    if (late !== undefined) this.late.set(node, late(id));
    return id;
  }

  bind(name: string, binding: Binding): void {
    this.bindings[name] = binding;
  }

  /** Takes the relation that has been built, and begins another one. */
  take(root: Query['root']): Query {
    const query = reachable({ nodes: this.nodes, bindings: this.bindings, root });
    this.nodes = {};
    this.bindings = {};
    return query;
  }

  /** Makes an expression of a value that is known before the statement runs. */
  value(type: SqlType, source: ValueSource, nullable: boolean): Typed {
    const literal = { type: type.stored };
    // In LIR, an array is its text.
    const stored: ValueSource = (values) => {
      const value = source(values);
      return value === null || type.element === undefined
        ? value
        : writeText(type, value, this.input.setting);
    };
    this.late.set(literal, lateLiteral(type.stored, type.element ? stored : source));
    return { type, expr: { kind: 'lit', value: literal }, nullable, source };
  }

  constant(type: SqlType, value: SqlValue): Typed {
    return this.value(type, () => value, value === null);
  }

  /** Returns a text that only equal expressions have. A value that is known later is equal only to itself. */
  keyOf(expr: unknown): string {
    return JSON.stringify(expr, (_, part: unknown) => {
      if (typeof part !== 'object' || part === null || !this.late.has(part)) return part;
      const number = this.lateNumbers.get(part) ?? this.lateNumbers.size;
      this.lateNumbers.set(part, number);
      return number;
    });
  }

  get parameterCount(): number {
    return this.parameters.length;
  }

  parameterType(number: number): SqlType | undefined {
    return this.parameters[number - 1];
  }

  /** Gives a parameter the type of its context. */
  decideParameter(number: number, type: SqlType, location: number | undefined): void {
    const known = this.parameters[number - 1];
    if (known !== undefined && known.oid !== type.oid) {
      throw this.error('42P08', `inconsistent types deduced for parameter $${number}`, location, {
        detail: `${plainTypeText(known)} versus ${plainTypeText(type)}`,
      });
    }
    this.parameters[number - 1] ??= type;
  }

  /** Returns the types of all parameters after the statement has been compiled. */
  parameterTypes(): readonly SqlType[] {
    return Array.from(this.parameters, (type, at) => {
      if (type !== undefined) return type;
      throw sqlError('42P18', `could not determine data type of parameter $${at + 1}`);
    });
  }

  error(
    sqlstate: string,
    message: string,
    location: number | undefined,
    more: Pick<SqlTrouble, 'detail' | 'hint' | 'constraint'> = {},
  ): SqlError {
    return sqlError(sqlstate, message, { position: this.position(location), ...more });
  }

  unsupported(feature: string, location: number | undefined, hint = generalHint): SqlError {
    return this.error('0A000', `${feature} is not supported`, location, { hint });
  }

  /** Adds the location to an error that has none. */
  withLocation(error: unknown, location: number | undefined): unknown {
    if (!(error instanceof SqlError) || error.trouble.position !== undefined) return error;
    return new SqlError({ ...error.trouble, position: this.position(location) });
  }

  private position(location: number | undefined): number | undefined {
    return location === undefined ? undefined : positionOf(this.input.text, location);
  }

  /** Runs `inner` one level deeper. */
  nested<Result>(inner: () => Result): Result {
    if (this.depth >= depthMax) {
      throw sqlError('54001', 'statement is nested too deeply', {
        hint: `Expressions and queries may be nested ${depthMax} levels deep.`,
      });
    }
    this.depth++;
    try {
      return inner();
    } finally {
      this.depth--;
    }
  }
}

export function isTyped(operand: Operand): operand is Typed {
  return operand.type !== undefined;
}
