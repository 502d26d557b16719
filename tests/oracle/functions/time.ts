/** Functions of time by the text of offsets that the runtime prints, and by the calendar of `Date` in UTC. */

import { isInt64 } from '../literal.ts';
import { failed } from '../problem.ts';
import { row } from './row.ts';

const instantMax = 8_000_000_000_000_000n;
const hour = 3_600_000;
const day = 24 * hour;

function instantOf(time: bigint): number {
  if (time > instantMax || time < -instantMax) throw failed('numeric_overflow');
  return Number(time);
}

function checked(instant: number): bigint {
  if (!(Math.abs(instant) <= Number(instantMax))) throw failed('numeric_overflow');
  return BigInt(instant);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  try {
    const format =
      formats.get(zone) ??
      new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
    formats.set(zone, format);
    return format;
  } catch {
    throw failed('invalid_argument');
  }
}

/** The offset of a zone, of which the runtime prints `GMT-04:56:02`. */
function offsetAt(zone: string, instant: number): number {
  if (!/^[a-z]/i.test(zone)) throw failed('invalid_argument');
  const parts = formatOf(zone).formatToParts(instant);
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? [];
  const magnitude = Number(hours) * hour + Number(minutes) * 60_000 + Number(seconds) * 1000;
  return sign === '-' ? -magnitude : magnitude;
}

/** The last instant with this local time. In a gap, the offset before it counts. */
function ofLocal(zone: string, local: number): bigint {
  const offsets = Array.from({ length: 13 }, (_, i) => offsetAt(zone, local + (i - 6) * 6 * hour));
  const instants = offsets.map((offset) => local - offset);
  const exact = instants.filter((instant) => instant + offsetAt(zone, instant) === local);
  return checked(Math.max(...(exact.length > 0 ? exact : [local - (offsets[0] as number)])));
}

function utc(year: number, month = 0, date = 1): number {
  return new Date(0).setUTCFullYear(year, month, date);
}

const fieldsOf = (local: number) => {
  const date = new Date(local);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    date: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
};

/** The year 0 is 1 BC, and is written -1. */
const written = (year: number) => (year <= 0 ? year - 1 : year);
const period = (year: number, years: number) =>
  year > 0 ? Math.floor((year + years - 1) / years) : -Math.floor((years - 1 - (year - 1)) / years);
const mondayOf = (local: number) => {
  const { year, month, date, weekday } = fieldsOf(local);
  return utc(year, month, date - ((weekday + 6) % 7));
};
const mod = (value: number, by: number) => ((value % by) + by) % by;

function startOf(unit: string, local: number): number {
  const { year, month, date } = fieldsOf(local);
  const periods = (years: number) => {
    const number = period(year, years);
    return utc(number > 0 ? number * years - years + 1 : number * years + 1);
  };
  switch (unit) {
    case 'day':
      return utc(year, month, date);
    case 'week':
      return mondayOf(local);
    case 'month':
      return utc(year, month);
    case 'quarter':
      return utc(year, month - (month % 3));
    case 'year':
      return utc(year);
    case 'decade':
      return utc(year - mod(year, 10));
    case 'century':
      return periods(100);
    case 'millennium':
      return periods(1000);
    default:
      throw failed('invalid_argument');
  }
}

function truncated(unit: string, time: bigint, zone = 'UTC'): bigint {
  offsetAt(zone, 0);
  const instant = instantOf(time);
  const local = instant + offsetAt(zone, instant);
  const lengths = { milliseconds: 1, second: 1000, minute: 60_000, hour };
  const length = Object.hasOwn(lengths, unit) ? lengths[unit as 'hour'] : undefined;
  if (length !== undefined) return checked(instant - mod(local, length));
  return ofLocal(zone, startOf(unit, local));
}

function partOf(unit: string, time: bigint, zone = 'UTC'): number {
  offsetAt(zone, 0);
  const instant = instantOf(time);
  const local = instant + offsetAt(zone, instant);
  const { year, month, date, weekday } = fieldsOf(local);
  const thursday = fieldsOf(mondayOf(local) + 3 * day).year;
  switch (unit) {
    case 'epoch':
      return instant / 1000;
    case 'milliseconds':
      return mod(local, 60_000);
    case 'second':
      return mod(local, 60_000) / 1000;
    case 'minute':
      return new Date(local).getUTCMinutes();
    case 'hour':
      return new Date(local).getUTCHours();
    case 'day':
      return date;
    case 'dow':
      return weekday;
    case 'isodow':
      return weekday === 0 ? 7 : weekday;
    case 'doy':
      return (utc(year, month, date) - utc(year)) / day + 1;
    case 'week':
      return (mondayOf(local) - mondayOf(utc(thursday, 0, 4))) / (7 * day) + 1;
    case 'month':
      return month + 1;
    case 'quarter':
      return Math.floor(month / 3) + 1;
    case 'year':
      return written(year);
    case 'isoyear':
      return written(thursday);
    case 'decade':
      return (year - mod(year, 10)) / 10;
    case 'century':
      return period(year, 100);
    case 'millennium':
      return period(year, 1000);
    default:
      throw failed('invalid_argument');
  }
}

function addMonths(time: bigint, count: bigint, zone = 'UTC'): bigint {
  offsetAt(zone, 0);
  const instant = instantOf(time);
  const local = instant + offsetAt(zone, instant);
  if (count > 10_000_000n || count < -10_000_000n) throw failed('numeric_overflow');
  const { year, month, date } = fieldsOf(local);
  const wanted = month + Number(count);
  const last = new Date(utc(year, wanted + 1, 0)).getUTCDate();
  const moved = utc(year, wanted, Math.min(date, last)) + mod(local, day);
  // Near the limit, the offset decides.
  if (!(Math.abs(moved) < 8.1e15)) throw failed('numeric_overflow');
  return ofLocal(zone, moved);
}

function binned(width: bigint, time: bigint, origin: bigint): bigint {
  if (width <= 0n) throw failed('invalid_argument');
  let bins = (time - origin) / width;
  if (bins * width + origin > time) bins--;
  const start = origin + bins * width;
  if (!isInt64(start)) throw failed('numeric_overflow');
  return start;
}

export const timeRows = {
  date_trunc: [row('text int64 > int64', truncated), row('text int64 text > int64', truncated)],
  date_part: [row('text int64 > float64', partOf), row('text int64 text > float64', partOf)],
  date_bin: [row('int64 int64 int64 > int64', binned)],
  add_months: [row('int64 int64 > int64', addMonths), row('int64 int64 text > int64', addMonths)],
};
