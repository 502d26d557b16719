/** Reads dates and times of ISO 8601 form. Other forms that PostgreSQL accepts are refused, those that depend on the clock too. */

import { type SqlError, sqlError, unsupported } from '../../sql-error.ts';
import { dayMs, daysInMonth, daysOf } from './civil.ts';
import { timeZoneName, utcOfLocal } from './zone.ts';

type TimeType = 'date' | 'timestamp' | 'timestamp with time zone';

const datePart = /^(\d{4,6})-(\d{1,2})-(\d{1,2})|^(\d{4})(\d\d)(\d\d)(?!\d)/;
const timePart = /^(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?/;
const offsetPart = /^([+-])(\d{1,2})(?::?(\d\d)(?::?(\d\d))?)?$/;
const clockWords = new Set(['now', 'today', 'tomorrow', 'yesterday', 'allballs']);
const isoHint = 'Write dates and times in ISO 8601 form, such as 2026-11-27 18:30:00+01.';

/** The greatest and the least time of PostgreSQL: 4714-11-24 BC and the end of the year 294276. */
const timestampMin = daysOf({ year: -4713, month: 11, day: 24 }) * dayMs;
const timestampEnd = daysOf({ year: 294_277, month: 1, day: 1 }) * dayMs;
const dateEnd = daysOf({ year: 5_874_898, month: 1, day: 1 }) * dayMs;

interface ReadTime {
  /** Milliseconds of the local date and time as if the zone were UTC. */
  readonly localMs: number;
  readonly dateMs: number;
  /** The text after the time: an offset, the name of a zone, or nothing. */
  readonly zone: string;
}

/** Returns the milliseconds of midnight. A time of day is ignored. */
export function readDate(text: string): number {
  const { dateMs } = readIso('date', text);
  return dateMs;
}

/** Returns the milliseconds of the local time as if the zone were UTC. An offset is ignored. */
export function readTimestamp(text: string): number {
  const { localMs } = readIso('timestamp', text);
  return inRange('timestamp', localMs, text);
}

/** Returns milliseconds since 1970. A text without an offset is a local time of `timeZone`. */
export function readTimestampTz(text: string, timeZone: string): number {
  const type = 'timestamp with time zone';
  const { localMs, zone } = readIso(type, text);
  return inRange(type, utcOf(localMs, zone, timeZone, text), text);
}

/** Returns whether a number of milliseconds is a time of PostgreSQL, which it can print. */
export function isTimeOf(type: 'date' | 'timestamp' | 'timestamptz', ms: number): boolean {
  return ms >= timestampMin && ms < (type === 'date' ? dateEnd : timestampEnd);
}

function inRange(type: TimeType, ms: number, text: string): number {
  if (ms >= timestampMin && ms < timestampEnd) return ms;
  throw sqlError('22008', `${wordOf(type)} out of range: "${text}"`);
}

function wordOf(type: TimeType): string {
  return type === 'date' ? 'date' : 'timestamp';
}

function readIso(type: TimeType, original: string): ReadTime {
  const text = original.trim();
  const word = text.toLowerCase();
  if (word === 'epoch') return { localMs: 0, dateMs: 0, zone: 'UTC' };
  if (clockWords.has(word)) {
    throw unsupported(`the ${wordOf(type)} "${word}"`, { hint: 'Use now() or current_date.' });
  }
  if (/^[+-]?infinity$/.test(word)) throw unsupported(`the ${wordOf(type)} "${word}"`);
  if (/ bc$/.test(word)) throw unsupported(`a ${wordOf(type)} before Christ`);
  const date = datePart.exec(text);
  if (date === null) throw malformed(type, original);
  const dateMs = dateOf(date, original);
  let rest = text.slice(date[0].length);
  if (rest === '') return { localMs: dateMs, dateMs, zone: '' };
  const isTime = /^(?:[Tt]| +)(?=\d)/.exec(rest);
  let timeMs = 0;
  if (isTime !== null) {
    rest = rest.slice(isTime[0].length);
    const time = timePart.exec(rest);
    if (time === null) throw malformed(type, original);
    timeMs = timeOf(time, original, dateMs);
    rest = rest.slice(time[0].length);
  } else if (!/^ *(?:[A-Za-z]|[+-]\d)/.test(rest)) throw malformed(type, original);
  const zone = rest.trim();
  if (zone !== '') requireZone(type, zone, original);
  return { localMs: dateMs + timeMs, dateMs, zone };
}

function dateOf(found: RegExpExecArray, text: string): number {
  const [year, month, day] =
    found[1] === undefined ? [found[4], found[5], found[6]] : [found[1], found[2], found[3]];
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  // PostgreSQL has no year 0.
  if (date.year === 0) throw fieldOverflow(text);
  if (date.month < 1 || date.month > 12 || date.day < 1 || date.day > 31) {
    throw fieldOverflow(text, 'Perhaps you need a different "datestyle" setting.');
  }
  if (date.day > daysInMonth(date.year, date.month)) throw fieldOverflow(text);
  return daysOf(date) * dayMs;
}

/** A second of 60 and the hour 24 are those of the next minute and day. */
function timeOf(found: RegExpExecArray, text: string, dateMs: number): number {
  const [hour, minute, second] = [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
  const micros = Math.round(Number(`0.${found[4] || '0'}`) * 1e6);
  const isDayEnd = hour === 24 && minute === 0 && second === 0 && micros === 0;
  if ((hour > 23 && !isDayEnd) || minute > 59 || second > 60) throw fieldOverflow(text);
  const wholeMs = ((hour * 60 + minute) * 60 + second) * 1000;
  return wholeMs + roundedMs(micros, dateMs);
}

/** A half is rounded away from the year 2000, as PostgreSQL rounds to `timestamp(3)`. */
function roundedMs(micros: number, dateMs: number): number {
  const half = dateMs < 946_684_800_000 ? 499 : 500;
  return Math.floor((micros + half) / 1000);
}

function requireZone(type: TimeType, zone: string, text: string): void {
  const offset = offsetPart.exec(zone);
  if (offset !== null) {
    const isHuge = Number(offset[2]) > 15 || Number(offset[3] ?? 0) > 59;
    if (isHuge) {
      throw sqlError('22009', `time zone displacement out of range: "${text}"`);
    }
    return;
  }
  if (timeZoneName(zone) !== undefined) return;
  if (!/^[A-Za-z_]+\/[A-Za-z0-9_+/-]+$/.test(zone)) throw malformed(type, text);
  throw sqlError('22023', `time zone "${zone.toLowerCase()}" not recognized`);
}

function utcOf(localMs: number, zone: string, timeZone: string, text: string): number {
  const offset = offsetPart.exec(zone);
  if (offset === null) {
    const name = zone === '' ? timeZone : timeZoneName(zone);
    if (name === undefined) throw malformed('timestamp with time zone', text);
    return utcOfLocal(name, localMs);
  }
  const [, sign, hours, minutes = 0, seconds = 0] = offset;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? localMs + ms : localMs - ms;
}

function malformed(type: TimeType, text: string): SqlError {
  return sqlError('22007', `invalid input syntax for type ${type}: "${text}"`, { hint: isoHint });
}

function fieldOverflow(text: string, hint?: string): SqlError {
  return sqlError('22008', `date/time field value out of range: "${text}"`, hint ? { hint } : {});
}
