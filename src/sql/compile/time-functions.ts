/** Functions of times: date_trunc, date_part and extract. */

import { sqlError, unsupported } from '../sql-error.ts';
import { plainTypeText, sqlTypes } from '../types/registry.ts';
import type { SqlType } from '../types/sql-type.ts';
import { categoryOf, coerce } from './coerce.ts';
import { type Compilation, type Env, isTyped, type Operand, type Typed } from './compilation.ts';
import { callOf, type FunctionUse } from './scalar-functions.ts';

/** Spellings of units, by the name of the unit in LIR. */
const spellings: Readonly<Record<string, string>> = {
  milliseconds: 'millisecond milliseconds msec msecs msecond mseconds ms',
  second: 'second seconds sec secs s',
  minute: 'minute minutes min mins m',
  hour: 'hour hours hr hrs h',
  day: 'day days d',
  week: 'week weeks w',
  month: 'month months mon mons',
  quarter: 'quarter qtr',
  year: 'year years yr yrs y',
  decade: 'decade decades dec decs',
  century: 'century centuries cent c',
  millennium: 'millennium millennia mil mils',
  dow: 'dow',
  isodow: 'isodow',
  doy: 'doy',
  isoyear: 'isoyear',
  epoch: 'epoch',
};

const units = new Map(
  Object.entries(spellings).flatMap(([unit, names]) =>
    names.split(' ').map((name) => [name, unit] as const),
  ),
);

/** Units that LIR does not have, or only for parts of a time. */
const missingUnits: ReadonlySet<string> = new Set(
  'microseconds microsecond us usec usecs julian timezone timezone_h timezone_hour timezone_m timezone_minute'.split(
    ' ',
  ),
);
const partsOnly: ReadonlySet<string> = new Set(['dow', 'isodow', 'doy', 'isoyear', 'epoch']);
const unitsOfDay: ReadonlySet<string> = new Set(['milliseconds', 'second', 'minute', 'hour']);

/** Compiles a function of times; `undefined` if the function is not one. */
export function timeFunction(env: Env, use: FunctionUse): Typed | undefined {
  const { name, args } = use;
  const isPart = name === 'date_part' || name === 'extract';
  if (!isPart && name !== 'date_trunc') return undefined;
  const [unit, time, zone] = args;
  if (unit === undefined || time === undefined || args.length > (isPart ? 2 : 3)) return undefined;
  if (!isTyped(time)) throw ambiguous(env.compilation, use);
  if (categoryOf(time.type) !== 'time') return undefined;
  return timeCall(env.compilation, use, { unit, time, zone });
}

interface TimeArguments {
  readonly unit: Operand;
  readonly time: Typed;
  readonly zone: Operand | undefined;
}

function timeCall(
  compilation: Compilation,
  { name, location }: FunctionUse,
  { unit, time, zone }: TimeArguments,
): Typed {
  const isPart = name !== 'date_trunc';
  const type = timeType(time.type, isPart, zone);
  const value = coerce(compilation, time, type, 'implicit', location);
  const { source } = coerce(compilation, unit, sqlTypes.text, 'implicit', location);
  if (source === undefined) {
    throw compilation.unsupported(`${name} of a unit that is not constant`, location);
  }
  const isExtractOfDate = name === 'extract' && time.type.name === 'date';
  const known = compilation.value(
    sqlTypes.text,
    (values) => {
      const text = source(values);
      return text === null ? null : unitOf(`${text}`, time.type, isPart, isExtractOfDate);
    },
    true,
  );
  const result = isPart ? sqlTypes.float8 : type;
  const zones = zoneArguments(compilation, type, zone);
  const fn = isPart ? 'date_part' : 'date_trunc';
  return callOf(compilation, fn, [known, value, ...zones], result);
}

function timeType(type: SqlType, isPart: boolean, zone: Operand | undefined): SqlType {
  if (zone !== undefined) return sqlTypes.timestamptz;
  if (type.name !== 'date') return type.modifier === -1 ? type : { ...type, modifier: -1 };
  return isPart ? sqlTypes.timestamp : sqlTypes.timestamptz;
}

function zoneArguments(
  compilation: Compilation,
  type: SqlType,
  zone: Operand | undefined,
): readonly Typed[] {
  if (zone !== undefined) return [coerce(compilation, zone, sqlTypes.text, 'implicit')];
  const { timeZone } = compilation.input.setting;
  if (type.name !== 'timestamptz' || timeZone === 'UTC') return [];
  return [compilation.constant(sqlTypes.text, timeZone)];
}

function unitOf(text: string, type: SqlType, isPart: boolean, isExtractOfDate: boolean): string {
  const word = text.toLowerCase();
  const unit = units.get(word);
  if (unit !== undefined && (isPart || !partsOnly.has(unit))) {
    if (!isExtractOfDate || !unitsOfDay.has(unit)) return unit;
    throw sqlError('0A000', `unit "${text}" not supported for type date`, {
      hint: 'A date has no time. Cast it to timestamp.',
    });
  }
  if (missingUnits.has(word)) {
    throw unsupported(`the unit "${text}"`, { hint: 'Times have milliseconds.' });
  }
  throw sqlError('22023', `unit "${text}" not recognized for type ${plainTypeText(type)}`);
}

function ambiguous(compilation: Compilation, { name, location }: FunctionUse) {
  return compilation.error('42725', `function ${name}(unknown, unknown) is not unique`, location, {
    hint: 'Could not choose a best candidate function. You might need to add explicit type casts.',
  });
}
