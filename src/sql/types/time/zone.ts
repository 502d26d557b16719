/** Offsets of time zones, by the database of the runtime. Zones are named explicitly: no function reads the zone of the machine. */

/** Weeks are short enough that no zone changes its offset twice within one. */
const weekMs = 7 * 86_400_000;
const weeksMax = 4096;

/** The offsets within a week: `before` until `changeMs`, then `after`. */
interface Week {
  readonly before: number;
  readonly after: number;
  readonly changeMs: number;
}

class TimeZone {
  readonly #format: Intl.DateTimeFormat;
  readonly #weeks = new Map<number, Week>();

  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
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
  }

  get name(): string {
    return this.#format.resolvedOptions().timeZone;
  }

  week(ms: number): Week {
    const number = Math.floor(ms / weekMs);
    const known = this.#weeks.get(number);
    if (known !== undefined) return known;
    if (this.#weeks.size >= weeksMax) this.#weeks.clear();
    const week = this.#measure(number * weekMs);
    this.#weeks.set(number, week);
    return week;
  }

  #measure(fromMs: number): Week {
    const before = this.#offset(fromMs);
    const after = this.#offset(fromMs + weekMs);
    if (before === after) return { before, after, changeMs: Number.POSITIVE_INFINITY };
    let [low, high] = [fromMs / 1000, (fromMs + weekMs) / 1000];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offset(middle * 1000) === before) low = middle;
      else high = middle;
    }
    return { before, after, changeMs: high * 1000 };
  }

  #offset(ms: number): number {
    const fields: Record<string, number> = {};
    let isBeforeChrist = false;
    for (const { type, value } of this.#format.formatToParts(ms)) {
      if (type === 'era') isBeforeChrist = value.startsWith('B');
      else fields[type] = Number(value);
    }
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
    const local = new Date(0);
    local.setUTCFullYear(isBeforeChrist ? 1 - year : year, month - 1, day);
    local.setUTCHours(hour, minute, second);
    return local.getTime() - Math.floor(ms / 1000) * 1000;
  }
}

const zones = new Map<string, TimeZone | undefined>();
/** The names that clients can send are limited, but refused names are not. */
const zonesMax = 1000;

function zoneOf(name: string): TimeZone | undefined {
  if (zones.has(name)) return zones.get(name);
  let zone: TimeZone | undefined;
  try {
    zone = new TimeZone(name);
  } catch {
    zone = undefined;
  }
  if (zones.size >= zonesMax) zones.clear();
  zones.set(name, zone);
  return zone;
}

const ianaName = /^(?:[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+)$/;
const utcNames = new Set(['utc', 'gmt', 'z', 'zulu', 'etc/utc']);

/** Returns the name of a time zone in its usual spelling; `undefined` if the zone is not known. Abbreviations other than UTC and GMT are not known. */
export function timeZoneName(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower === 'gmt') return 'GMT';
  if (utcNames.has(lower)) return 'UTC';
  if (!ianaName.test(name)) return undefined;
  const known = zoneOf(lower)?.name;
  // The runtime gives another name to some zones, such as Asia/Calcutta.
  return known === undefined || known.toLowerCase() === lower ? known : name;
}

/** Intl knows the offsets of these times. The rules of a later time are those of the same day in an earlier cycle of the calendar. */
const timeMax = 8.64e15 - 2 * weekMs;
const cycleMs = 146_097 * 86_400_000;

/** Returns the milliseconds that clocks in the zone are ahead of UTC at a time. The zone must be known. */
export function offsetAt(zone: string, utcMs: number): number {
  if (zone === 'UTC' || zone === 'GMT') return 0;
  let ms = Math.max(utcMs, -timeMax);
  while (ms > timeMax) ms -= cycleMs;
  const { before, after, changeMs } = (zoneOf(zone.toLowerCase()) as TimeZone).week(ms);
  return ms < changeMs ? before : after;
}

/**
 * Returns the time at which clocks in the zone show `localMs`. A local time that is skipped has the offset before the change, a local time that
 * occurs twice the offset after it, as in PostgreSQL.
 */
export function utcOfLocal(zone: string, localMs: number): number {
  if (zone === 'UTC' || zone === 'GMT') return localMs;
  const earlier = offsetAt(zone, localMs - 86_400_000);
  const later = offsetAt(zone, localMs + 86_400_000);
  if (earlier === later) return localMs - earlier;
  const [byEarlier, byLater] = [localMs - earlier, localMs - later];
  if (offsetAt(zone, byLater) === later) return byLater;
  return byEarlier;
}
