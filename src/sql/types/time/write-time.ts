/** Writes dates and times as PostgreSQL does with the date style ISO. */

import { sqlError } from '../../sql-error.ts';
import { dateOfDays, dayMs } from './civil.ts';
import { isTimeOf } from './read-time.ts';
import { offsetAt } from './zone.ts';

/** Writes the day of a number of milliseconds. */
export function writeDate(value: number | bigint): string {
  const ms = timeOf('date', value);
  const { text, era } = dateText(ms);
  return text + era;
}

export function writeTimestamp(value: number | bigint): string {
  const ms = timeOf('timestamp', value);
  const { text, era } = dateText(ms);
  return `${text} ${clockText(ms)}${era}`;
}

export function writeTimestampTz(value: number | bigint, timeZone: string): string {
  const ms = timeOf('timestamptz', value);
  const offset = offsetAt(timeZone, ms);
  const { text, era } = dateText(ms + offset);
  return `${text} ${clockText(ms + offset)}${offsetText(offset)}${era}`;
}

function timeOf(type: 'date' | 'timestamp' | 'timestamptz', value: number | bigint): number {
  const ms = Number(value);
  if (isTimeOf(type, ms)) return ms;
  throw sqlError('22008', `${type === 'date' ? type : 'timestamp'} out of range`);
}

function dateText(ms: number): { text: string; era: string } {
  const { year, month, day } = dateOfDays(Math.floor(ms / dayMs));
  const shown = year > 0 ? year : 1 - year;
  const text = `${String(shown).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
  return { text, era: year > 0 ? '' : ' BC' };
}

function clockText(ms: number): string {
  const inDay = ms - Math.floor(ms / dayMs) * dayMs;
  const seconds = Math.floor(inDay / 1000);
  const [hour, minute] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const clock = `${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(seconds % 60)}`;
  const fraction = inDay % 1000;
  return fraction === 0
    ? clock
    : `${clock}.${String(fraction).padStart(3, '0').replace(/0+$/, '')}`;
}

function offsetText(offset: number): string {
  const seconds = Math.abs(offset) / 1000;
  const [minute, second] = [Math.floor(seconds / 60) % 60, seconds % 60];
  let text = `${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(seconds / 3600))}`;
  if (minute !== 0 || second !== 0) text += `:${twoDigits(minute)}`;
  if (second !== 0) text += `:${twoDigits(second)}`;
  return text;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}
