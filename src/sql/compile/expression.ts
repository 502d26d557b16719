/** Compiles expressions: from a parse tree to an expression of LIR with its SQL type. */

import type { A_Const, A_Expr, CollateClause, ColumnRef, Node, TypeCast } from 'libpg-query';
import { plainTypeText, sqlTypes } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { arrayConstructor } from './array-constructor.ts';
import { caseExpression, coalesceExpression, extremeExpression, nullIf } from './branches.ts';
import { isNull } from './build.ts';
import { coerce, isFloat, settled } from './coerce.ts';
import { columnOf } from './column-reference.ts';
import { type Env, isTyped, type Operand, type Typed } from './compilation.ts';
import { condition, conditionKinds, isConditionOperator } from './condition.ts';
import { constantOperand, parameterOperand } from './constant.ts';
import { functionCall } from './function-call.ts';
import { builtinName, locationOf, nameParts, opened } from './nodes.ts';
import { binaryOperation, complement, negation } from './operators.ts';
import { sessionValue } from './session-values.ts';
import { subquery } from './subquery.ts';
import { typeOf } from './type-names.ts';

/** Compiles an expression. A string, NULL or parameter has no type until the caller gives it one. */
export function operand(env: Env, node: Node): Operand {
  return env.compilation.nested(() => env.aggregates?.key(node) ?? compiled(env, node));
}

/** Compiles an expression, which has type text if nothing else gives it a type. */
export function expression(env: Env, node: Node): Typed {
  return settled(env.compilation, operand(env, node));
}

/** Compiles an expression and converts it to a type implicitly. Errors name the construct that demands the type. */
export function expressionOf(env: Env, node: Node, type: SqlType, construct: string): Typed {
  const found = operand(env, node);
  if (isTyped(found) && found.type.oid !== type.oid) {
    const message = `argument of ${construct} must be type ${plainTypeText(type)}, not type ${plainTypeText(found.type)}`;
    throw env.compilation.error('42804', message, locationOf(node));
  }
  return coerce(env.compilation, found, type, 'implicit');
}

function compiled(env: Env, node: Node): Operand {
  const { compilation } = env;
  const [kind, content] = opened(node);
  if (conditionKinds.has(kind)) return condition(env, node, 'value');
  switch (kind) {
    case 'A_Const':
      return constantOperand(compilation, content as A_Const);
    case 'ParamRef':
      return parameterOperand(compilation, content);
    case 'ColumnRef':
      return columnOf(env, content as ColumnRef);
    case 'A_Expr':
      return operatorExpression(env, content as A_Expr, node);
    case 'TypeCast':
      return castExpression(env, content as TypeCast);
    case 'CollateClause':
      return collated(env, content as CollateClause);
    case 'CaseExpr':
      return caseExpression(env, content);
    case 'CoalesceExpr':
      return coalesceExpression(env, content);
    case 'MinMaxExpr':
      return extremeExpression(env, content);
    case 'SubLink':
      return subquery(env, content);
    case 'FuncCall':
      return functionCall(env, content);
    case 'SQLValueFunction':
      return sessionValue(env, content);
    case 'A_ArrayExpr':
      return arrayConstructor(env, content);
    case 'SetToDefault':
      throw compilation.error('42601', 'DEFAULT is not allowed in this context', content.location);
    default:
      throw compilation.unsupported(constructs[kind] ?? `the expression ${kind}`, content.location);
  }
}

const constructs: Readonly<Record<string, string>> = {
  RowExpr: 'a row as a value',
  A_Indirection: 'a subscript or field of a value',
  GroupingFunc: 'GROUPING',
  XmlExpr: 'XML',
  XmlSerialize: 'XML',
  MultiAssignRef: 'an assignment of several columns from one expression',
  CurrentOfExpr: 'WHERE CURRENT OF',
  JsonFuncExpr: 'SQL/JSON',
  JsonObjectConstructor: 'SQL/JSON',
  JsonArrayConstructor: 'SQL/JSON',
};

function operatorExpression(env: Env, content: A_Expr, node: Node): Operand {
  const { compilation } = env;
  const { kind, name, lexpr, rexpr, location } = content;
  if (kind === 'AEXPR_NULLIF') return nullIf(env, content);
  if (isConditionOperator(content)) return condition(env, node, 'value');
  if (kind !== 'AEXPR_OP') {
    throw compilation.unsupported(kind === 'AEXPR_SIMILAR' ? 'SIMILAR TO' : `${kind}`, location);
  }
  const operator = builtinName(name);
  if (operator === undefined || rexpr === undefined) {
    throw compilation.unsupported(`operator ${nameParts(name).join('.')}`, locationOf(node));
  }
  if (lexpr === undefined) return prefixed(env, operator, rexpr, location);
  const left = operand(env, lexpr);
  const right = operand(env, rexpr);
  return binaryOperation(compilation, { operator, left, right, location });
}

function prefixed(env: Env, operator: string, node: Node, location: number | undefined): Typed {
  const { compilation } = env;
  const value = operand(env, node);
  if (operator === '-') return negation(compilation, value, location);
  if (operator === '~') return complement(compilation, value, location);
  if (operator === '+' && isTyped(value)) {
    if (value.type.stored === 'int64' || isFloat(value.type)) return value;
  }
  throw compilation.unsupported(`operator ${operator} before a value`, location);
}

function castExpression(env: Env, { arg, typeName, location }: TypeCast): Typed {
  const { compilation } = env;
  const type = typeOf(compilation, typeName ?? {});
  const value = operand(env, arg as Node);
  return coerce(compilation, value, type, 'explicit', location);
}

function collated(env: Env, { arg, collname, location }: CollateClause): Operand {
  const collation = builtinName(collname);
  if (collation !== 'C' && collation !== 'default' && collation !== 'POSIX') {
    throw env.compilation.unsupported(
      `collation "${nameParts(collname).join('.')}"`,
      location,
      'Text is ordered by its code points, which is COLLATE "C".',
    );
  }
  const value = settled(env.compilation, operand(env, arg as Node));
  if (value.type.stored === 'text') return value;
  const message = `collations are not supported by type ${plainTypeText(value.type)}`;
  throw env.compilation.error('42804', message, location);
}

/** Compiles `x IS [NOT] NULL`. */
export function nullTest(env: Env, arg: Node, isNegated: boolean): Typed {
  const value = operand(env, arg);
  if (!isTyped(value) && value.of.kind === 'parameter') {
    const message = `could not determine data type of parameter $${value.of.number}`;
    throw env.compilation.error('42P18', message, value.location);
  }
  const { expr } = settled(env.compilation, value);
  const op = isNegated ? 'is_not_null' : 'is_null';
  const test = isNegated ? ({ kind: 'unary', op, expr } as const) : isNull(expr);
  return { type: sqlTypes.bool, expr: test, nullable: false };
}
