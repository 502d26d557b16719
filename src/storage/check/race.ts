/** A race for conditional writes: many callers create the same object simultaneously, and exactly one may succeed. */

import { equalBytes } from '#base';
import type { ObjectStore } from '../object/store.ts';
import { type CheckResult, failed, passed } from './findings.ts';

interface Race {
  readonly rounds: number;
  readonly creators: number;
  nameOf(round: number): string;
  /** Returns the content of one object, different for each call. */
  draw(): Uint8Array;
}

export async function race(store: ObjectStore, options: Race): Promise<Omit<CheckResult, 'name'>> {
  const { rounds, creators, nameOf } = options;
  const wrong: string[] = [];
  let unclear = 0;
  for (let round = 1; round <= rounds; round++) {
    const outcome = await raceOnce(store, nameOf(round), options);
    if (outcome.wrong !== undefined) wrong.push(`round ${round}: ${outcome.wrong}`);
    unclear += outcome.unclear;
  }
  const details = { rounds, creators, wrong: wrong.length, unclear };
  if (wrong.length === 0) {
    return passed(`exactly one of ${creators} creators won, in each of ${rounds} rounds`, details);
  }
  return failed(
    `conditional writes do not work: in ${wrong.length} of ${rounds} rounds, not exactly one of ${creators} creators won (${wrong[0]})`,
    details,
  );
}

async function raceOnce(
  store: ObjectStore,
  name: string,
  { creators, draw }: Race,
): Promise<{ readonly wrong: string | undefined; readonly unclear: number }> {
  const bodies = Array.from({ length: creators }, draw);
  const outcomes = await Promise.all(bodies.map((body) => store.putIfAbsent(name, body)));
  const found = await store.get(name);
  const standing = bodies.findIndex((body) => found !== undefined && equalBytes(body, found));
  const winners = outcomes.flatMap((outcome, i) => (outcome === 'committed' ? [i] : []));
  const unclear = outcomes.filter((outcome) => outcome === 'unknown').length;
  return { wrong: mistakeIn(winners, standing), unclear };
}

function mistakeIn(winners: readonly number[], standing: number): string | undefined {
  if (winners.length > 1) return `${winners.length} creators received a confirmation`;
  if (standing < 0) return 'the object did not contain the bytes of any creator';
  // If no creator received a confirmation, the response to the winner was lost.
  const [winner = standing] = winners;
  return winner === standing
    ? undefined
    : 'the object did not contain the bytes of the confirmed creator';
}
