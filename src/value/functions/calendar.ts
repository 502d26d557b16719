/** Dates of the proleptic Gregorian calendar, with the fields of PostgreSQL. The year 0 is 1 BC. */

const dayMs = 86_400_000;
/** Days from the Monday before 1970 to 1 January 1970, a Thursday. */
const thursday = 3;

export interface DateFields {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

export function dateOf(local: number): DateFields {
  const date = new Date(Math.floor(local / dayMs) * dayMs);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Returns the first moment of a date, whose month may be any integer. */
export function startOf(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
}

export function daysInMonth(year: number, month: number): number {
  return new Date(startOf(year, month + 1, 0)).getUTCDate();
}

/** Returns the day of the week, from Monday, which is 1. */
export function isoWeekday(local: number): number {
  const days = Math.floor(local / dayMs) + thursday;
  return days - Math.floor(days / 7) * 7 + 1;
}

/** Returns the first moment of the Monday of the week. */
export function startOfWeek(local: number): number {
  return (Math.floor(local / dayMs) - isoWeekday(local) + 1) * dayMs;
}

/** Returns the week by ISO 8601: week 1 contains the first Thursday of its year. */
export function isoWeek(local: number): { readonly year: number; readonly week: number } {
  const ofThursday = startOfWeek(local) + thursday * dayMs;
  const { year } = dateOf(ofThursday);
  return { year, week: Math.floor((ofThursday - startOf(year, 1, 1)) / (7 * dayMs)) + 1 };
}

export function dayOfYear(local: number): number {
  return Math.floor((local - startOf(dateOf(local).year, 1, 1)) / dayMs) + 1;
}

/** Returns the year in the notation without a year 0, in which 1 BC is -1. */
export function writtenYear(year: number): number {
  return year > 0 ? year : year - 1;
}

/** Returns the number of the century or the millennium. The first one begins with the year 1, and the one before has the number -1. */
export function periodOf(year: number, years: 100 | 1000): number {
  const written = writtenYear(year);
  return written > 0 ? Math.ceil(written / years) : Math.floor(written / years);
}

export function firstYearOf(period: number, years: 100 | 1000): number {
  return period > 0 ? (period - 1) * years + 1 : period * years + 1;
}
