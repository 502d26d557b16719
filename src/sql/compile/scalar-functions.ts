/** Functions of values: the calls of LIR under their names in SQL. */

import type { Expression } from '#lir';
import { type Apply, type FunctionName, functions, type Scalar } from '#value';
import { sqlTypes } from '../types/registry.ts';
import type { SqlType, SqlTypeName } from '../types/sql-type.ts';
import { not, shared } from './build.ts';
import { call, hasCall } from './calls.ts';
import { canCoerce, categoryOf, coerce, settled } from './coerce.ts';
import { type Compilation, type Env, isTyped, type Operand, type Typed } from './compilation.ts';
import { missingFunctions } from './missing-functions.ts';

export interface FunctionUse {
  readonly name: string;
  readonly args: readonly Operand[];
  readonly location: number | undefined;
}

/** A function of SQL: its name, the types of its arguments, the type of its result, and the function of LIR. */
type Signature = readonly [
  name: string,
  args: readonly SqlTypeName[],
  result: SqlTypeName,
  fn: string,
];

const text = 'text';

const signatures: readonly Signature[] = [
  ['lower', [text], text, 'lower'],
  ['upper', [text], text, 'upper'],
  ['initcap', [text], text, 'initcap'],
  ['length', [text], 'int4', 'length'],
  ['char_length', [text], 'int4', 'length'],
  ['character_length', [text], 'int4', 'length'],
  ['octet_length', [text], 'int4', 'octet_length'],
  ['octet_length', ['bytea'], 'int4', 'length'],
  ['length', ['bytea'], 'int4', 'length'],
  ['substring', [text, 'int4'], text, 'substring'],
  ['substring', [text, 'int4', 'int4'], text, 'substring'],
  ['substring', [text, text], text, 'regex_substring'],
  ['substr', [text, 'int4'], text, 'substring'],
  ['substr', [text, 'int4', 'int4'], text, 'substring'],
  ['position', [text, text], 'int4', 'position'],
  ['strpos', [text, text], 'int4', 'position'],
  ['replace', [text, text, text], text, 'replace'],
  ['btrim', [text], text, 'trim'],
  ['btrim', [text, text], text, 'trim'],
  ['ltrim', [text], text, 'ltrim'],
  ['ltrim', [text, text], text, 'ltrim'],
  ['rtrim', [text], text, 'rtrim'],
  ['rtrim', [text, text], text, 'rtrim'],
  ['left', [text, 'int4'], text, 'left'],
  ['right', [text, 'int4'], text, 'right'],
  ['lpad', [text, 'int4'], text, 'lpad'],
  ['lpad', [text, 'int4', text], text, 'lpad'],
  ['rpad', [text, 'int4'], text, 'rpad'],
  ['rpad', [text, 'int4', text], text, 'rpad'],
  ['repeat', [text, 'int4'], text, 'repeat'],
  ['reverse', [text], text, 'reverse'],
  ['split_part', [text, text, 'int4'], text, 'split_part'],
  ['starts_with', [text, text], 'bool', 'starts_with'],
  ['md5', [text], text, 'md5'],
  ['encode', ['bytea', text], text, 'encode'],
  ['decode', [text, text], 'bytea', 'decode'],
  ['ascii', [text], 'int4', 'ascii'],
  ['chr', ['int4'], text, 'chr'],
  ['abs', ['int2'], 'int2', 'abs'],
  ['abs', ['int4'], 'int4', 'abs'],
  ['abs', ['int8'], 'int8', 'abs'],
  ['abs', ['float8'], 'float8', 'abs'],
  ['sign', ['float8'], 'float8', 'sign'],
  ['round', ['float8'], 'float8', 'round'],
  ['round', ['float8', 'int4'], 'float8', 'round'],
  ['trunc', ['float8'], 'float8', 'trunc'],
  ['trunc', ['float8', 'int4'], 'float8', 'trunc'],
  ['ceil', ['float8'], 'float8', 'ceil'],
  ['ceiling', ['float8'], 'float8', 'ceil'],
  ['floor', ['float8'], 'float8', 'floor'],
  ['power', ['float8', 'float8'], 'float8', 'power'],
  ['pow', ['float8', 'float8'], 'float8', 'power'],
  ['sqrt', ['float8'], 'float8', 'sqrt'],
  ['exp', ['float8'], 'float8', 'exp'],
  ['ln', ['float8'], 'float8', 'ln'],
  ['log', ['float8'], 'float8', 'log10'],
  ['log10', ['float8'], 'float8', 'log10'],
  ['mod', ['int2', 'int2'], 'int2', 'mod'],
  ['mod', ['int4', 'int4'], 'int4', 'mod'],
  ['mod', ['int8', 'int8'], 'int8', 'mod'],
];

const byName = Map.groupBy(signatures, ([name]) => name);

/** Compiles a call; `undefined` if no function has the name and accepts the arguments. */
export function scalarFunction(env: Env, use: FunctionUse): Typed | undefined {
  const { compilation } = env;
  const { name, args, location } = use;
  if (name === 'concat') return concat(compilation, use);
  const known = byName.get(name) ?? [];
  const fitting = known.filter((one) => accepts(one, args));
  const exact = fitting.find((one) => accepts(one, args, true)) ?? preferredOf(fitting, args);
  const isMissing =
    exact === undefined
      ? missingFunctions.has(name) && !known.some(hasOverload)
      : !hasOverload(exact);
  if (isMissing) throw compilation.unsupported(`function ${name}`, location);
  if (exact === undefined) return undefined;
  const [, types, result, fn] = exact;
  const typed = args.map((arg, at) =>
    coerce(compilation, arg, sqlTypes[types[at] as SqlTypeName], 'implicit', location),
  );
  return callOf(compilation, fn, typed, sqlTypes[result]);
}

function accepts([, types]: Signature, args: readonly Operand[], isExact = false): boolean {
  if (types.length !== args.length) return false;
  return args.every((arg, at) => {
    if (!isTyped(arg)) return !isExact;
    const wanted = sqlTypes[types[at] as SqlTypeName];
    return isExact ? arg.type.oid === wanted.oid : canCoerce(arg.type, wanted, 'implicit');
  });
}

/** Chooses as PostgreSQL does: an argument without a type is a text if there is a choice, and otherwise a float8. */
function preferredOf(
  fitting: readonly Signature[],
  args: readonly Operand[],
): Signature | undefined {
  let rest = fitting;
  for (const [at, arg] of args.entries()) {
    if (isTyped(arg)) continue;
    for (const type of ['text', 'float8']) {
      const preferred = rest.filter(([, types]) => types[at] === type);
      if (preferred.length > 0) rest = preferred;
      if (preferred.length > 0) break;
    }
  }
  return rest[0];
}

function hasOverload([, types, , fn]: Signature): boolean {
  return (
    overloadOf(
      fn,
      types.map((name) => sqlTypes[name]),
    ) !== undefined
  );
}

function overloadOf(fn: string, types: readonly SqlType[]) {
  if (!hasCall(fn)) return undefined;
  return functions[fn as FunctionName].overloads.find(
    ({ args }) =>
      args.length === types.length && args.every((arg, at) => arg === types[at]?.stored),
  );
}

/** Calls a function of LIR. A call that cannot fail is computed at once if its arguments are known. */
export function callOf(
  compilation: Compilation,
  fn: string,
  args: readonly Typed[],
  type: SqlType,
): Typed {
  const nullable = args.some((arg) => arg.nullable);
  const overload = overloadOf(
    fn,
    args.map((arg) => arg.type),
  );
  const isKnown = args.every(({ source }) => source !== undefined);
  if (overload !== undefined && isKnown && !overload.canFail && !overload.isGrowing) {
    return folded(compilation, overload.apply, args, type);
  }
  return { type, expr: call(fn, ...args.map(({ expr }) => expr)), nullable };
}

function folded(
  compilation: Compilation,
  apply: Apply,
  args: readonly Typed[],
  type: SqlType,
): Typed {
  const nullable = args.some((arg) => arg.nullable);
  return compilation.value(
    type,
    (values) => {
      const given = args.map(({ source }) => source?.(values) ?? null) as readonly Scalar[];
      return given.includes(null) ? null : apply(...given);
    },
    nullable,
  );
}

/** Compiles `concat`, which takes values of any type and leaves out NULLs. */
function concat(compilation: Compilation, { args, location }: FunctionUse): Typed {
  if (!hasCall('concat')) throw compilation.unsupported('function concat', location);
  const empty = compilation.constant(sqlTypes.text, '');
  const texts = args
    .map((arg) => shortText(compilation, settled(compilation, arg), location))
    .map((arg) => withoutNull(arg, empty.expr));
  return callOf(compilation, 'concat', [empty, ...texts], sqlTypes.text);
}

function withoutNull(arg: Typed, empty: Expression): Typed {
  if (!arg.nullable) return arg;
  const expr: Expression = { kind: 'coalesce', args: [arg.expr, empty] };
  return { type: arg.type, expr, nullable: false };
}

/** Writes a bool as `t` or `f`. Only a cast writes it in full. */
function shortText(compilation: Compilation, arg: Typed, location: number | undefined): Typed {
  if (arg.type.name !== 'bool') return asText(compilation, arg, location);
  const [yes, no] = ['t', 'f'].map((word) => compilation.constant(sqlTypes.text, word).expr);
  const none: Expression = { kind: 'lit', value: { type: 'text' } };
  const expr = shared(compilation, [arg], ([value]) => {
    const when = value as Expression;
    const arms = [
      { when, then: yes as Expression },
      { when: not(when), then: no as Expression },
    ];
    return { kind: 'branch', branches: arms, else: none };
  });
  return { type: sqlTypes.text, expr, nullable: arg.nullable };
}

/** Converts a value of any type to text as a cast does. */
export function asText(
  compilation: Compilation,
  arg: Operand,
  location: number | undefined,
): Typed {
  const typed = settled(compilation, arg);
  if (categoryOf(typed.type) === 'array') {
    throw compilation.unsupported('the text of an array', location);
  }
  return coerce(compilation, typed, sqlTypes.text, 'explicit', location);
}
