/** Functions of time: an int64 of milliseconds since 1970 in UTC, and the name of a time zone. */

import { EvaluationFailure, integerOverflow } from '../arithmetic/failure.ts';
import { type Int64, toInt64 } from '../arithmetic/int64.ts';
import {
  type DateFields,
  dateOf,
  dayOfYear,
  daysInMonth,
  firstYearOf,
  isoWeek,
  isoWeekday,
  periodOf,
  startOf,
  startOfWeek,
  writtenYear,
} from './calendar.ts';
import { overload, scalarFunction } from './overload.ts';
import { instantMax, type Zone, zoneOf } from './zone.ts';

const raising = { canFail: true } as const;

export const timeFunctions = {
  date_trunc: scalarFunction(
    overload(['text', 'int64'], 'int64', (unit, time) => truncated(unit, time, 'UTC'), raising),
    overload(['text', 'int64', 'text'], 'int64', truncated, raising),
  ),
  date_part: scalarFunction(
    overload(['text', 'int64'], 'float64', (unit, time) => partOf(unit, time, 'UTC'), raising),
    overload(['text', 'int64', 'text'], 'float64', partOf, raising),
  ),
  date_bin: scalarFunction(overload(['int64', 'int64', 'int64'], 'int64', binned, raising)),
  add_months: scalarFunction(
    overload(
      ['int64', 'int64'],
      'int64',
      (time, count) => monthsAfter(time, count, 'UTC'),
      raising,
    ),
    overload(['int64', 'int64', 'text'], 'int64', monthsAfter, raising),
  ),
};

function instantOf(time: Int64): number {
  const instant = Number(time);
  if (Math.abs(instant) <= instantMax) return instant;
  throw new EvaluationFailure(
    'numeric_overflow',
    `the time ${time} is out of range; a time is in milliseconds`,
  );
}

/** Units of a constant length, which are counted from the first moment of a day. */
const fixedUnits: Readonly<Record<string, number>> = {
  milliseconds: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
};

type StartOf = (date: DateFields, local: number) => number;

const starts: Readonly<Record<string, StartOf>> = {
  day: ({ year, month, day }) => startOf(year, month, day),
  week: (_date, local) => startOfWeek(local),
  month: ({ year, month }) => startOf(year, month, 1),
  quarter: ({ year, month }) => startOf(year, month - ((month - 1) % 3), 1),
  year: ({ year }) => startOf(year, 1, 1),
  decade: ({ year }) => startOf(Math.floor(year / 10) * 10, 1, 1),
  century: ({ year }) => startOf(firstYearOf(periodOf(year, 100), 100), 1, 1),
  millennium: ({ year }) => startOf(firstYearOf(periodOf(year, 1000), 1000), 1, 1),
};

function truncated(unit: string, time: Int64, zoneName: string): Int64 {
  const zone = zoneOf(zoneName);
  const instant = instantOf(time);
  const local = instant + zone.offsetAt(instant);
  const length = memberOf(fixedUnits, unit);
  if (length !== undefined) return checked(instant - remainder(local, length));
  const start = memberOf(starts, unit);
  if (start === undefined) throw unknownUnit(unit, { ...fixedUnits, ...starts });
  return inRange(start(dateOf(local), local), zone);
}

type PartOf = (date: DateFields, local: number, instant: number) => number;

const parts: Readonly<Record<string, PartOf>> = {
  epoch: (_date, _local, instant) => instant / 1000,
  milliseconds: (_date, local) => remainder(local, 60_000),
  second: (_date, local) => remainder(local, 60_000) / 1000,
  minute: (_date, local) => Math.floor(remainder(local, 3_600_000) / 60_000),
  hour: (_date, local) => Math.floor(remainder(local, 86_400_000) / 3_600_000),
  day: ({ day }) => day,
  dow: (_date, local) => isoWeekday(local) % 7,
  isodow: (_date, local) => isoWeekday(local),
  doy: (_date, local) => dayOfYear(local),
  week: (_date, local) => isoWeek(local).week,
  month: ({ month }) => month,
  quarter: ({ month }) => Math.ceil(month / 3),
  year: ({ year }) => writtenYear(year),
  isoyear: (_date, local) => writtenYear(isoWeek(local).year),
  decade: ({ year }) => Math.floor(year / 10),
  century: ({ year }) => periodOf(year, 100),
  millennium: ({ year }) => periodOf(year, 1000),
};

function partOf(unit: string, time: Int64, zoneName: string): number {
  const zone = zoneOf(zoneName);
  const instant = instantOf(time);
  const part = memberOf(parts, unit);
  if (part === undefined) throw unknownUnit(unit, parts);
  const local = instant + zone.offsetAt(instant);
  return part(dateOf(local), local, instant);
}

function remainder(local: number, length: number): number {
  return local - Math.floor(local / length) * length;
}

/** Returns the start of the interval of `width` that contains the time. One of the intervals begins at `origin`. */
function binned(width: Int64, time: Int64, origin: Int64): Int64 {
  if (width <= 0)
    throw new EvaluationFailure('invalid_argument', 'the width of date_bin must be positive');
  const distance = BigInt(time) - BigInt(origin);
  const rest = distance % BigInt(width);
  const result = toInt64(BigInt(time) - (rest < 0n ? rest + BigInt(width) : rest));
  if (result === undefined) throw integerOverflow('date_bin');
  return result;
}

/** Months that a time can be moved by: more lead out of range. */
const monthsMax = 12 * 600_000;

function monthsAfter(time: Int64, count: Int64, zoneName: string): Int64 {
  const zone = zoneOf(zoneName);
  const instant = instantOf(time);
  const local = instant + zone.offsetAt(instant);
  const { year, month, day } = dateOf(local);
  const months = year * 12 + month - 1 + Math.min(Math.max(Number(count), -monthsMax), monthsMax);
  const toYear = Math.floor(months / 12);
  const toMonth = months - toYear * 12 + 1;
  const toDay = Math.min(day, daysInMonth(toYear, toMonth));
  return inRange(startOf(toYear, toMonth, toDay) + remainder(local, 86_400_000), zone);
}

function inRange(local: number, zone: Zone): number {
  // An offset is less than a day. Far beyond the range, the local time is not a number.
  const isNear = Math.abs(local) <= instantMax + 86_400_000;
  return checked(isNear ? zone.instantOf(local) : Number.NaN);
}

function checked(instant: number): number {
  if (Math.abs(instant) <= instantMax) return instant;
  throw new EvaluationFailure('numeric_overflow', 'the resulting time is out of range');
}

function memberOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function unknownUnit(unit: string, known: object): EvaluationFailure {
  const detail = `unknown unit ${JSON.stringify(unit.slice(0, 100))}; use one of ${Object.keys(known).join(', ')}`;
  return new EvaluationFailure('invalid_argument', detail);
}
