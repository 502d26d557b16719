/** Durations such as `90s`, `15m`, `24h` and `30d`. */

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A hundred years, so that every time that is computed with a duration can be shown. */
const durationMaxMs = 36_500 * 86_400_000;

/** Returns the milliseconds of a duration from 1 s to 36,500 days; `undefined` for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,10})([smhd])$/.exec(text) ?? [];
  const ms = Number(digits) * (unitMs[unit] ?? 0);
  return ms > 0 && ms <= durationMaxMs ? ms : undefined;
}
