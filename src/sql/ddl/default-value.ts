/** Defaults of columns: constants, the time of the statement, and generated identifiers. */

import type { Node } from 'libpg-query';
import type { ColumnDefault } from '#catalog';
import { ByteString, type DefaultLiteral, formatBytes } from '#value';
import { constantText, stringOf } from '../statements/node.ts';
import { fitLength } from '../types/fit-length.ts';
import { readText } from '../types/read-text.ts';
import { plainTypeText } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { typeOfName } from '../types/type-of-name.ts';
import type { CatalogProgram } from './catalog-program.ts';

/** Functions that return the time of the transaction. */
const timeFunctions = new Set([
  'now',
  'transaction_timestamp',
  'current_timestamp',
  'localtimestamp',
]);
const defaultHint = 'Use a constant, now() or gen_random_uuid().';

/** Returns the default; `undefined` for NULL. */
export function columnDefault(
  program: CatalogProgram,
  node: Node,
  type: SqlType,
  name: string,
): ColumnDefault | undefined {
  const called = functionOf(node);
  if (called !== undefined) return generated(program, called, type);
  const constant = constantOf(program, node);
  if (constant === undefined) throw program.unsupported('this default', defaultHint);
  if (constant.text === undefined) return undefined;
  if (!isAssignable(constant, type)) {
    throw program.error(
      '42804',
      `column "${name}" is of type ${plainTypeText(type)} but default expression is of type ${constant.type}`,
      { hint: 'You will need to rewrite or cast the expression.' },
    );
  }
  return { kind: 'literal', value: literalIn(program, constant.text, type) };
}

/** Returns the name of the function that a default calls without arguments. */
function functionOf(node: Node): string | undefined {
  if ('SQLValueFunction' in node) {
    return (node.SQLValueFunction.op ?? '').replace(/^SVFOP_/, '').toLowerCase();
  }
  if (!('FuncCall' in node)) return undefined;
  const { funcname = [], args = [] } = node.FuncCall;
  return args.length === 0 ? (stringOf(funcname.at(-1)) ?? '') : 'a function with arguments';
}

function generated(program: CatalogProgram, called: string, type: SqlType): ColumnDefault {
  const isTime = type.name === 'timestamptz' || type.name === 'timestamp';
  // The generator writes milliseconds.
  const isExact = type.modifier < 0 || type.modifier >= 3;
  if (timeFunctions.has(called) && isTime && isExact) return { kind: 'generator', func: 'now_ms' };
  if (type.name === 'uuid' && called === 'gen_random_uuid') {
    return { kind: 'generator', func: 'uuid_v4' };
  }
  if (type.name === 'uuid' && called === 'uuidv7') return { kind: 'generator', func: 'uuid_v7' };
  throw program.unsupported(`the default ${called} of a column of this type`, defaultHint);
}

interface Constant {
  /** `undefined` for NULL. */
  readonly text: string | undefined;
  readonly type: 'unknown' | 'integer' | 'double precision' | 'boolean' | 'cast';
}

function constantOf(program: CatalogProgram, node: Node): Constant | undefined {
  if ('TypeCast' in node) return castOf(program, node.TypeCast.arg, node.TypeCast.typeName);
  const isNegative = 'A_Expr' in node && node.A_Expr.lexpr === undefined;
  if (isNegative && stringOf(node.A_Expr.name?.[0]) === '-' && node.A_Expr.rexpr) {
    const inner = constantOf(program, node.A_Expr.rexpr);
    const isNumber = inner?.type === 'integer' || inner?.type === 'double precision';
    return isNumber ? { ...inner, text: `-${inner.text}` } : undefined;
  }
  if (!('A_Const' in node)) return undefined;
  const { A_Const: constant } = node;
  const text = constantText(node);
  if (constant.isnull) return { text: undefined, type: 'unknown' };
  if (constant.sval) return { text, type: 'unknown' };
  if (constant.ival) return { text, type: 'integer' };
  if (constant.fval) {
    const isInteger = /^\d+$/.test(constant.fval.fval ?? '');
    return { text, type: isInteger ? 'integer' : 'double precision' };
  }
  return constant.boolval ? { text, type: 'boolean' } : undefined;
}

/** A cast checks the constant, which the column then reads again. */
function castOf(
  program: CatalogProgram,
  arg: Node | undefined,
  typeName: Parameters<typeof typeOfName>[0] | undefined,
): Constant | undefined {
  if (arg === undefined || typeName === undefined) return undefined;
  const inner = constantOf(program, arg);
  if (inner?.text === undefined) return inner;
  const type = typeOfName(typeName, program.input.text);
  literalIn(program, inner.text, type);
  return { text: fitLength(type, inner.text, 'cast'), type: 'cast' };
}

/** Whether PostgreSQL converts the constant to the type without a cast. A cast of the statement must fit the text of the type. */
function isAssignable({ type }: Constant, { stored }: SqlType): boolean {
  if (type === 'unknown' || type === 'cast' || stored === 'text') return true;
  if (type === 'boolean') return stored === 'bool';
  return stored === 'int64' || stored === 'float64';
}

function literalIn(program: CatalogProgram, text: string, type: SqlType): DefaultLiteral {
  const isFraction = type.stored === 'int64' && /^-?\d*\.\d*$/.test(text);
  const source = isFraction ? roundedText(text) : text;
  const value = readText(type, source, { timeZone: program.setting.timeZone });
  if (value instanceof ByteString) return formatBytes(value);
  return typeof value === 'string' ? fitLength(type, value, 'store') : (value as DefaultLiteral);
}

/** Rounds a half to the even neighbor, as a cast of a double precision number does. */
function roundedText(text: string): string {
  const value = Number(text);
  const floor = Math.floor(value);
  const isHalf = value - floor === 0.5;
  return String(isHalf ? floor + (floor % 2 === 0 ? 0 : 1) : Math.round(value));
}
