/** Offsets of time zones by the database of the runtime. The clock is never read. */

import { EvaluationFailure } from '../arithmetic/failure.ts';

/** Offsets are looked up once per day, except on days on which they change. */
const dayMs = 86_400_000;
const daysMax = 50_000;
const zonesMax = 100;
/** The largest magnitude of an instant. The dates of the language reach some thousand years further. */
export const instantMax = 8e15;

export class Zone {
  private readonly format: Intl.DateTimeFormat | undefined;
  private readonly days = new Map<number, number | undefined>();

  constructor(name: string) {
    this.format = /^(?:etc\/)?utc$/i.test(name) ? undefined : formatOf(name);
  }

  /** Returns what is added to an instant to get the local time, in milliseconds. */
  offsetAt(instant: number): number {
    if (this.format === undefined) return 0;
    const day = Math.floor(instant / dayMs);
    if (!this.days.has(day)) this.days.set(day, this.offsetOfDay(this.format, day));
    return this.days.get(day) ?? lookUp(this.format, instant);
  }

  /** Returns the instant of a local time: the later one if there are two, and as before the change if there is none. */
  instantOf(local: number): number {
    const [before, after] = [this.offsetAt(local - dayMs), this.offsetAt(local + dayMs)];
    if (before === after) return local - before;
    const instants = [local - before, local - after];
    const exact = instants.filter((instant) => instant + this.offsetAt(instant) === local);
    return Math.max(...(exact.length > 0 ? exact : instants));
  }

  private offsetOfDay(format: Intl.DateTimeFormat, day: number): number | undefined {
    if (this.days.size >= daysMax) this.days.clear();
    const [first, last] = [day * dayMs, (day + 1) * dayMs - 1];
    const offset = lookUp(format, first);
    return offset === lookUp(format, last) ? offset : undefined;
  }
}

const zones = new Map<string, Zone>();

export function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = new Zone(name);
  if (zones.size >= zonesMax) zones.clear();
  zones.set(name, zone);
  return zone;
}

function formatOf(name: string): Intl.DateTimeFormat {
  try {
    if (!/^[A-Za-z]/.test(name)) throw new RangeError('a zone is a name');
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const detail = `unknown time zone ${JSON.stringify(name.slice(0, 100))}; use a name such as Europe/Berlin`;
    throw new EvaluationFailure('invalid_argument', detail);
  }
}

function lookUp(format: Intl.DateTimeFormat, instant: number): number {
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const year = parts.get('era') === 'BC' ? 1 - number('year') : number('year');
  const local = new Date(0);
  local.setUTCFullYear(year, number('month') - 1, number('day'));
  local.setUTCHours(number('hour'), number('minute'), number('second'));
  return local.getTime() - Math.floor(instant / 1000) * 1000;
}
