/** The parts of a program that depend on the values of one execution. The compiled program contains a marked object for each. */

import type { Expression, Literal, RowsColumn, RowsNode, SliceNode } from '#lir';
import type { Program } from '#pir';
import { ByteString, formatBase64, type Row, type Scalar, type ScalarType } from '#value';
import type { Instance, SqlValue, StatementValues } from '../compiled.ts';
import { sqlError } from '../sql-error.ts';

/** Computes a value of one execution. */
export type ValueSource = (values: StatementValues) => SqlValue;

type Places = Map<
  object,
  (values: StatementValues, member?: 'offset' | 'limit') => Scalar | readonly Row[]
>;

type Copy = <Part>(part: Part) => Part;

/** A part that differs between instances. */
export interface Late {
  /** Returns a text that is equal for values that can share a plan. */
  variant(values: StatementValues): string;
  /** Makes the object of an instance, and adds the places of its parameters. `copy` makes the parts that the object contains. */
  make(values: StatementValues, places: Places, copy: Copy): object;
}

/** The late parts of one statement, by the objects that mark them. */
export type LateParts = Map<object, Late>;

/** Marks a literal. NULL and other values do not share a plan, because the planner derives from a literal that it is not NULL. */
export function lateLiteral(type: ScalarType, source: ValueSource): Late {
  return {
    variant: (values) => (source(values) === null ? 'n' : 'v'),
    make: (values, places) => {
      const literal = literalOf(type, source(values) as Scalar);
      places.set(literal, (later) => source(later) as Scalar);
      return literal;
    },
  };
}

/** Marks a `rows` node, whose rows `source` computes. */
export function lateRows(
  scope: string,
  columns: readonly RowsColumn[],
  source: (values: StatementValues) => readonly Row[],
): Late {
  return {
    variant: () => '',
    make: (values, places) => {
      const rows = source(values).map((row) => row.map((cell) => textOf(cell as Scalar)));
      const node: RowsNode = { kind: 'rows', scope, columns, rows };
      places.set(node, source);
      return node;
    },
  };
}

interface Counts {
  readonly offset: ValueSource | undefined;
  readonly limit: ValueSource | undefined;
}

/** Marks a `slice` node. A NULL means that there is no limit or offset. */
export function lateSlice(input: string, { offset, limit }: Counts): Late {
  const offsetAt = (values: StatementValues) => countOf('OFFSET', '2201X', offset?.(values)) ?? 0;
  const limitAt = (values: StatementValues) => countOf('LIMIT', '2201W', limit?.(values));
  return {
    variant: (values) => `o${offsetClass(offsetAt(values))}l${limitClass(limitAt(values))}`,
    make: (values, places) => {
      const limited = limitAt(values);
      const node: SliceNode = {
        kind: 'slice',
        input,
        ...(offset !== undefined && { offset: offsetAt(values) }),
        ...(limited !== undefined && { limit: limited }),
      };
      places.set(node, (later, member) =>
        member === 'offset' ? offsetAt(later) : (limitAt(later) ?? null),
      );
      return node;
    },
  };
}

/** Marks an expression, which `make` builds. `variant` distinguishes the forms that it can have. */
export function lateExpression(
  variant: Late['variant'],
  make: (values: StatementValues, places: Places, copy: Copy) => Expression,
): Late {
  return { variant, make };
}

function countOf(name: string, sqlstate: string, value: SqlValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  const count = Number(value);
  if (count < 0) throw sqlError(sqlstate, `${name} must not be negative`);
  return count;
}

// The classes are those of the planner: limits below 3 and their number of digits, offsets below 100 and their number of digits.
function limitClass(limit: number | undefined): string {
  if (limit === undefined) return 'n';
  return limit < 3 ? `=${limit}` : `${limit}`.length.toString();
}

function offsetClass(offset: number): string {
  return offset < 100 ? '0' : `${offset}`.length.toString();
}

/** Returns a literal of LIR with this value. */
export function literalOf(type: ScalarType, value: Scalar): Literal {
  if (value === null) return { type };
  if (type === 'bool') return { type, value: value === true };
  return { type, value: textOf(value) as string };
}

/** Returns the text of a value in a literal or a cell. */
function textOf(value: Scalar): string | null {
  if (value === null || typeof value === 'string') return value;
  return value instanceof ByteString ? formatBase64(value.bytes) : numberText(value);
}

function numberText(value: number | bigint | boolean): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Makes the program of one execution. Parts without marked objects are shared by all instances. */
export function instantiate(program: Program, late: LateParts, values: StatementValues): Instance {
  const places: Places = new Map();
  const copied = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    const marked = late.get(part);
    if (marked !== undefined) return marked.make(values, places, copied as Copy);
    if (Array.isArray(part)) return copyList(part, copied);
    return copyMembers(part as Record<string, unknown>, copied);
  };
  return { program: copied(program) as Program, places };
}

function copyList(list: readonly unknown[], copy: (part: unknown) => unknown): readonly unknown[] {
  const copied = list.map(copy);
  return copied.every((part, at) => part === list[at]) ? list : copied;
}

function copyMembers(object: Record<string, unknown>, copy: (part: unknown) => unknown): object {
  let copied: Record<string, unknown> | undefined;
  for (const name in object) {
    const part = copy(object[name]);
    if (part === object[name]) continue;
    copied ??= { ...object };
    copied[name] = part;
  }
  return copied ?? object;
}

/** Returns the late parts that occur in the program, in document order. */
export function latePartsOf(program: Program, late: LateParts): readonly Late[] {
  const found: Late[] = [];
  const open: object[] = [program];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const marked = late.get(part);
    if (marked !== undefined) found.push(marked);
    open.push(...Object.values(part).filter(isObject).reverse());
  }
  return found;
}

function isObject(part: unknown): part is object {
  return typeof part === 'object' && part !== null;
}
