/**
 * How much of a long loop over seeds or specimens a run takes. `npm test` sets `SVC_TEST_PORTION`, a share such as 0.25; everything else runs whole.
 */

const share = Number(process.env['SVC_TEST_PORTION'] ?? 1);
if (!(share > 0 && share <= 1))
  throw new Error('SVC_TEST_PORTION: expected a share above 0, at most 1');

/** Whether loops run whole. */
export const isWhole = share === 1;

/** The same share of a count of turns, or of a least number of finds in that many turns; at least one. */
export function portionOf(count: number): number {
  return Math.max(1, Math.floor(count * share));
}

/** Of several ways to ask the same of each specimen, those for specimen number `index`: all when the run is whole. Each way gets its share of the specimens. */
export function waysOf<Way>(ways: readonly Way[], index: number): readonly Way[] {
  const count = Math.max(1, Math.round(ways.length * share));
  return Array.from(
    { length: count },
    (_, i) => ways[(index + i * Math.floor(ways.length / count)) % ways.length] as Way,
  );
}
