/** Parses dates and times for columns of format `unix_ms`. All modules use this parser. */

/** A time of day requires an offset, because a time without an offset depends on the machine. */
const shape =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(?:Z|([+-])(\d\d):(\d\d)))?$/;

/**
 * Returns the milliseconds since 1970 of an RFC 3339 date and time, or of a date alone, which means its first moment in UTC. Returns `undefined`
 * for any other text. The function also refuses a day that the month does not have, an hour above 23, a minute or second above 59, an offset
 * above 23:59, and a fraction of more than three digits. A leap second has no number in Unix time.
 */
export function parseInstant(text: string): number | undefined {
  const found = shape.exec(text);
  if (found === null) return undefined;
  const number = (group: number) => Number(found[group] ?? 0);
  const [year, month, day] = [number(1), number(2), number(3)];
  const [hour, minute, second] = [number(4), number(5), number(6)];
  const [offsetHours, offsetMinutes] = [number(9), number(10)];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;
  const offset = (offsetHours * 60 + offsetMinutes) * (found[8] === '-' ? -1 : 1);
  const minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offset;
  const milliseconds = Number((found[7] ?? '').padEnd(3, '0'));
  return (minutes * 60 + second) * 1000 + milliseconds;
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function daysIn(year: number, month: number): number {
  return month === 2 && isLeap(year) ? 29 : (monthDays[month - 1] as number);
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysSince1970(year: number, month: number, day: number): number {
  let days = daysBefore(year) - daysBefore(1970) + day - 1;
  for (let before = 1; before < month; before++) days += daysIn(year, before);
  return days;
}

/** Returns the number of days from 1 January of the year 0 to 1 January of `year`. */
function daysBefore(year: number): number {
  // The year 0 is a leap year.
  const leapYears = Math.ceil(year / 4) - Math.ceil(year / 100) + Math.ceil(year / 400);
  return year * 365 + leapYears;
}
