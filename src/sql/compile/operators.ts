/** Operators: which types they accept, and how LIR expresses them. */

import type { Expression } from '#lir';
import { plainTypeText, sqlTypes } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { binary, integer } from './build.ts';
import { call, hasCall } from './calls.ts';
import { categoryOf, coerce, isFloat, isInteger } from './coerce.ts';
import { type Compilation, isTyped, type Operand, type Typed } from './compilation.ts';
import { decided } from './constant.ts';
import { asText, callOf } from './scalar-functions.ts';
import { typeTextOf } from './type-text.ts';

const comparisons: Readonly<Record<string, 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'>> = {
  '=': 'eq',
  '<>': 'ne',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
};

const arithmetic: Readonly<Record<string, 'add' | 'sub' | 'mul' | 'div'>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
};

const integerCalls: Readonly<Record<string, string>> = {
  '%': 'mod',
  '&': 'bit_and',
  '|': 'bit_or',
  '#': 'bit_xor',
  '<<': 'shift_left',
  '>>': 'shift_right',
};

interface BinaryOperation {
  readonly operator: string;
  readonly left: Operand;
  readonly right: Operand;
  readonly location: number | undefined;
}

/** Compiles an operator with two operands. */
export function binaryOperation(compilation: Compilation, given: BinaryOperation): Typed {
  const { operator } = given;
  // An operand of several comparisons, as in BETWEEN, gets its type from the first.
  const [left, right] = [decided(compilation, given.left), decided(compilation, given.right)];
  const operation = { ...given, left, right };
  if (operator in comparisons) return comparison(compilation, operation);
  if (operator in arithmetic) return arithmeticOperation(compilation, operation);
  if (operator === '||') return concatenation(compilation, operation);
  if (operator in integerCalls) return integerOperation(compilation, operation);
  if (operator === '^') return powerOperation(compilation, operation);
  return refuse(compilation, operation);
}

/** Throws the error of an operator that no types or other types have. */
function refuse(compilation: Compilation, operation: BinaryOperation): never {
  const { operator, left, right, location } = operation;
  const texts = `${typeTextOf(left)} ${operator} ${typeTextOf(right)}`;
  if (knownOperators.has(operator)) throw compilation.unsupported(`operator ${operator}`, location);
  throw missingOperator(compilation, texts, location);
}

function missingOperator(compilation: Compilation, texts: string, location: number | undefined) {
  const hint =
    'No operator matches the given name and argument types. You might need to add explicit type casts.';
  return compilation.error('42883', `operator does not exist: ${texts}`, location, { hint });
}

/** Operators of PostgreSQL that svc does not have for any type. */
const knownOperators: ReadonlySet<string> = new Set(
  '~ ~* !~ !~* ~~ ~~* !~~ !~~* @> <@ && -> ->> #> #>> ? ?| ?& @@ <-> ^@ @ |/ ||/'.split(' '),
);

function comparison(compilation: Compilation, operation: BinaryOperation): Typed {
  const { operator } = operation;
  const [left, right] = comparable(compilation, operation);
  const op = comparisons[operator] as 'eq';
  const nullable = left.nullable || right.nullable;
  return { type: sqlTypes.bool, expr: binary(op, left.expr, right.expr), nullable };
}

/** Converts both operands to the type in which they are compared. */
export function comparable(
  compilation: Compilation,
  operation: BinaryOperation,
): readonly [Typed, Typed] {
  const { left, right, operator, location } = operation;
  const type = comparisonType(compilation, operation);
  if (type === undefined) {
    const texts = `${typeTextOf(left)} ${operator} ${typeTextOf(right)}`;
    throw missingOperator(compilation, texts, location);
  }
  const converted = [left, right].map((operand) => coerce(compilation, operand, type, 'implicit'));
  return converted as [Typed, Typed] & Typed[];
}

function comparisonType(
  compilation: Compilation,
  { left, right, operator, location }: BinaryOperation,
): SqlType | undefined {
  if (!isTyped(left) && !isTyped(right)) return sqlTypes.text;
  const [one, other] = isTyped(left)
    ? [left.type, isTyped(right) ? right.type : undefined]
    : [(right as Typed).type, undefined];
  if (one.name === 'json') return undefined;
  if (one.name === 'jsonb' || one.element !== undefined) {
    throw compilation.unsupported(`operator ${operator} of type ${plainTypeText(one)}`, location);
  }
  if (other === undefined) return one.name === 'varchar' && !one.format ? sqlTypes.text : bare(one);
  return commonType(compilation, one, other, location);
}

function commonType(
  compilation: Compilation,
  one: SqlType,
  other: SqlType,
  location: number | undefined,
): SqlType | undefined {
  const category = categoryOf(one);
  if (category !== categoryOf(other)) return undefined;
  switch (category) {
    case 'number':
      if (isFloat(one) || isFloat(other)) return sqlTypes.float8;
      return one.oid === other.oid ? one : sqlTypes.int8;
    case 'text':
      if (one.format === other.format) return one.format === undefined ? sqlTypes.text : bare(one);
      throw compilation.unsupported('a comparison of identifiers with other text', location);
    case 'time': {
      const names = [one.name, other.name];
      if (names.includes('timestamptz')) return sqlTypes.timestamptz;
      return names.includes('timestamp') ? sqlTypes.timestamp : sqlTypes.date;
    }
    default:
      return one.oid === other.oid ? one : undefined;
  }
}

/** Returns the type without its modifier. */
export function bare(type: SqlType): SqlType {
  return type.modifier === -1 ? type : { ...type, modifier: -1 };
}

const widths = ['int2', 'int4', 'int8'] as const;

function widerInteger(one: SqlType, other: SqlType): SqlType {
  const at = Math.max(...[one, other].map(({ name }) => widths.indexOf(name as 'int2')));
  return sqlTypes[widths[at] ?? 'int8'];
}

function arithmeticOperation(compilation: Compilation, operation: BinaryOperation): Typed {
  const { operator, location } = operation;
  if (!isTyped(operation.left) && !isTyped(operation.right)) {
    throw compilation.error(
      '42725',
      `operator is not unique: unknown ${operator} unknown`,
      location,
      {
        hint: 'Could not choose a best candidate operator. You might need to add explicit type casts.',
      },
    );
  }
  const time = timeArithmetic(compilation, operation);
  if (time !== undefined) return time;
  const type = arithmeticType(operation);
  if (type === undefined) return refuse(compilation, operation);
  const [left, right] = [operation.left, operation.right].map((operand) =>
    coerce(
      compilation,
      operand,
      isFloat(type) || !isTyped(operand) ? type : operand.type,
      'implicit',
    ),
  ) as [Typed, Typed];
  const op = arithmetic[operator] as 'add';
  return {
    type,
    expr: binary(op, left.expr, right.expr),
    nullable: left.nullable || right.nullable,
  };
}

function arithmeticType({ left, right }: BinaryOperation): SqlType | undefined {
  const types = [left, right].flatMap((operand) => (isTyped(operand) ? [operand.type] : []));
  const [one, other = one] = types as [SqlType, SqlType | undefined];
  if (isInteger(one) && isInteger(other)) return widerInteger(one, other);
  const areNumbers = [one, other].every((type) => isInteger(type) || isFloat(type));
  return areNumbers ? sqlTypes.float8 : undefined;
}

const dayMs = 86_400_000;

/** Dates plus and minus days, and the days between dates. */
function timeArithmetic(compilation: Compilation, operation: BinaryOperation): Typed | undefined {
  const { operator, left, right, location } = operation;
  const types = [left, right].map((operand) => (isTyped(operand) ? operand.type : undefined));
  const isTime = types.some((type) => type !== undefined && categoryOf(type) === 'time');
  if (!isTime || (operator !== '+' && operator !== '-')) return undefined;
  const [one, other] = types;
  const days = (operand: Typed) => binary('mul', operand.expr, integer(dayMs));
  if (one?.name === 'date' && other !== undefined && isInteger(other) && other.name !== 'int8') {
    const op = operator === '+' ? 'add' : 'sub';
    return result(
      sqlTypes.date,
      binary(op, (left as Typed).expr, days(right as Typed)),
      left,
      right,
    );
  }
  if (operator === '+' && other?.name === 'date' && one !== undefined && isInteger(one)) {
    return result(
      sqlTypes.date,
      binary('add', days(left as Typed), (right as Typed).expr),
      left,
      right,
    );
  }
  const isDifference = one?.name === 'date' && other?.name === 'date' && operator === '-';
  if (isDifference) {
    const between = binary('sub', (left as Typed).expr, (right as Typed).expr);
    return result(sqlTypes.int4, binary('div', between, integer(dayMs)), left, right);
  }
  if (one !== undefined && other !== undefined && categoryOf(one) !== categoryOf(other)) {
    return undefined;
  }
  throw compilation.unsupported(
    `operator ${operator} of ${typeTextOf(left)} and ${typeTextOf(right)}`,
    location,
    'Compute intervals in the application.',
  );
}

function result(type: SqlType, expr: Expression, left: Operand, right: Operand): Typed {
  return { type, expr, nullable: (left as Typed).nullable || (right as Typed).nullable };
}

function concatenation(compilation: Compilation, operation: BinaryOperation): Typed {
  const { left, right, location } = operation;
  const types = [left, right].flatMap((operand) => (isTyped(operand) ? [operand.type] : []));
  if (types.some((type) => type.element !== undefined || type.name === 'jsonb')) {
    throw compilation.unsupported('operator || of arrays and JSON', location);
  }
  if (types.length === 2 && !types.some((type) => categoryOf(type) === 'text')) {
    return refuse(compilation, operation);
  }
  const [one, other] = [left, right].map((operand) => asText(compilation, operand, location)) as [
    Typed,
    Typed,
  ];
  const [first, second] = [one.source, other.source];
  if (first !== undefined && second !== undefined) {
    return compilation.value(
      sqlTypes.text,
      (values) => {
        const [before, after] = [first(values), second(values)];
        return before === null || after === null ? null : `${before}${after}`;
      },
      one.nullable || other.nullable,
    );
  }
  if (!hasCall('concat')) throw compilation.unsupported('operator ||', location);
  return callOf(compilation, 'concat', [one, other], sqlTypes.text);
}

function integerOperation(compilation: Compilation, operation: BinaryOperation): Typed {
  const { operator, location, left, right } = operation;
  const type = isTyped(left) || isTyped(right) ? arithmeticType(operation) : undefined;
  if (type === undefined || !isInteger(type)) return refuse(compilation, operation);
  const fn = integerCalls[operator] as string;
  const isShift = operator === '<<' || operator === '>>';
  if (isShift && !(isTyped(left) && left.type.name === 'int8')) {
    // Shifts of narrower integers lose bits that 64 bits keep.
    throw compilation.unsupported(
      `operator ${operator} of narrow integers`,
      location,
      'Cast to bigint.',
    );
  }
  if (!hasCall(fn)) throw compilation.unsupported(`operator ${operator}`, location);
  const [one, other] = [left, right].map((operand) =>
    coerce(compilation, operand, isTyped(operand) ? operand.type : type, 'implicit'),
  ) as [Typed, Typed];
  return { type, expr: call(fn, one.expr, other.expr), nullable: one.nullable || other.nullable };
}

function powerOperation(compilation: Compilation, operation: BinaryOperation): Typed {
  const { left, right, location } = operation;
  const isKnown = isTyped(left) || isTyped(right);
  if (!isKnown || arithmeticType(operation) === undefined) return refuse(compilation, operation);
  if (!hasCall('power')) throw compilation.unsupported('operator ^', location);
  const args = [left, right].map((one) => coerce(compilation, one, sqlTypes.float8, 'implicit'));
  return callOf(compilation, 'power', args, sqlTypes.float8);
}

/** Compiles `~x`. */
export function complement(
  compilation: Compilation,
  operand: Operand,
  location: number | undefined,
): Typed {
  if (isTyped(operand) && isInteger(operand.type) && hasCall('bit_not')) {
    return callOf(compilation, 'bit_not', [operand], operand.type);
  }
  throw compilation.unsupported(`operator ~ before ${typeTextOf(operand)}`, location);
}

/** Compiles `-x`. The sign of a constant becomes part of it. */
export function negation(
  compilation: Compilation,
  operand: Operand,
  location: number | undefined,
): Typed {
  if (!isTyped(operand)) {
    throw compilation.error('42725', 'operator is not unique: - unknown', location, {
      hint: 'Could not choose a best candidate operator. You might need to add explicit type casts.',
    });
  }
  const { type, source, nullable } = operand;
  if (!isInteger(type) && !isFloat(type)) {
    throw missingOperator(compilation, `- ${plainTypeText(type)}`, location);
  }
  if (source !== undefined) {
    return compilation.value(
      type,
      (values) => {
        const value = source(values);
        if (typeof value === 'bigint') return -value;
        return typeof value === 'number' ? (isFloat(type) ? -value : 0 - value) : null;
      },
      nullable,
    );
  }
  return { type, expr: { kind: 'unary', op: 'negate', expr: operand.expr }, nullable };
}
