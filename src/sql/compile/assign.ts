/** The assignment of a value to a column of a table. */

import type { Expression, Literal } from '#lir';
import { sqlError } from '../sql-error.ts';
import { plainTypeText } from '../types/registry.ts';
import { call } from './calls.ts';
import { canCoerce, coerce, inRange } from './coerce.ts';
import { type Compilation, isTyped, type Operand, type Typed } from './compilation.ts';
import { narrowed } from './conversion.ts';
import { lateExpression, lateLiteral } from './late.ts';
import type { Target, TargetColumn } from './write-target.ts';

/**
 * Converts an operand to the type of the column, and checks the range of integers and NULL. If a value can be NULL and the column cannot,
 * `refusal` makes an expression of it that fails for NULL; by default that of a row that is stored in any case.
 */
export function assigned(
  compilation: Compilation,
  target: Target,
  { column, type }: TargetColumn,
  operand: Operand,
  location: number | undefined,
  refusal: (value: Typed) => Typed = (value) => notNull(compilation, target, column.name, value),
): Typed {
  if (isTyped(operand) && !canCoerce(operand.type, type, 'assignment')) {
    const message = `column "${column.name}" is of type ${plainTypeText(type)} but expression is of type ${plainTypeText(operand.type)}`;
    throw compilation.error('42804', message, location, {
      hint: 'You will need to rewrite or cast the expression.',
    });
  }
  const isWider = isTyped(operand) && operand.type.oid !== type.oid && operand.type.name !== 'int2';
  const coerced = coerce(compilation, operand, type, 'assignment', location);
  const value = isWider ? coerced : inWidth(compilation, coerced);
  return column.nullable || isCertain(value) ? value : refusal(value);
}

/** Makes an expression that fails for NULL only if a row exists for which it is evaluated. */
export function notNullInRows(compilation: Compilation, value: Typed): Typed {
  const { type, source } = value;
  if (source === undefined) return { type, expr: call('not_null', value.expr), nullable: false };
  const literal = lateLiteral(type.stored, source);
  const expr: Expression = { kind: 'lit', value: { type: type.stored } };
  const late = lateExpression(literal.variant, (values, places, copy) => {
    const made: Expression = { kind: 'lit', value: literal.make(values, places, copy) as Literal };
    return source(values) === null ? call('not_null', made) : made;
  });
  compilation.late.set(expr, late);
  return { type, expr, nullable: false };
}

/** Whether LIR, too, knows that the value is not NULL: of some expressions without NULL it does not. */
function isCertain({ nullable, source, expr, tableId }: Typed): boolean {
  return !nullable && (source !== undefined || expr.kind === 'lit' || tableId !== undefined);
}

/** Checks the range of an integer whose type is narrower than the arithmetic that computes it. */
function inWidth(compilation: Compilation, value: Typed): Typed {
  const { type, source, expr, nullable } = value;
  if (type.name !== 'int2' && type.name !== 'int4') return value;
  if (source !== undefined) {
    return compilation.value(
      type,
      (values) => {
        const number = source(values);
        return number === null ? null : inRange(type, number as number | bigint);
      },
      nullable,
    );
  }
  return expr.kind === 'col' ? value : { type, expr: narrowed(expr, type), nullable };
}

function notNull(compilation: Compilation, target: Target, name: string, value: Typed): Typed {
  const { type, source, expr } = value;
  if (source === undefined) return { type, expr: call('not_null', expr), nullable: false };
  const constraint = { kind: 'not_null', table: target.table.name, column: name } as const;
  const message = `null value in column "${name}" of relation "${target.table.name}" violates not-null constraint`;
  return compilation.value(
    type,
    (values) => {
      const found = source(values);
      if (found === null) throw sqlError('23502', message, { constraint });
      return found;
    },
    false,
  );
}
