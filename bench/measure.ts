/** Ratios: the subject and its reference are measured by turns in one run, because machines are noisy; the median of the pairs counts. */

import { load } from './connection.ts';

export interface Measurement {
  readonly name: string;
  /** Median of subject / reference over the pairs; higher is better. */
  readonly ratio: number;
  readonly goal: number;
  readonly subject: string;
  readonly reference: string;
}

/** Runs both sides by turns; each returns operations per second. */
export async function pair(
  name: string,
  goal: number,
  rounds: number,
  sides: { readonly subject: () => Promise<number>; readonly reference: () => Promise<number> },
): Promise<Measurement> {
  const pairs: { readonly subject: number; readonly reference: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const reference = await sides.reference();
    const subject = await sides.subject();
    pairs.push({ subject, reference });
  }
  pairs.sort((a, b) => a.subject / a.reference - b.subject / b.reference);
  const middle = pairs[Math.floor(pairs.length / 2)] as (typeof pairs)[number];
  return {
    name,
    goal,
    ratio: middle.subject / middle.reference,
    subject: `${Math.round(middle.subject)}/s`,
    reference: `${Math.round(middle.reference)}/s`,
  };
}

/** Requests per second of `connections` clients; a failed request fails the benchmark. */
export async function throughput(
  port: number,
  connections: number,
  durationMs: number,
  next: () => Uint8Array,
): Promise<number> {
  const result = await load(port, connections, durationMs, next);
  if (result.failures > 0) throw new Error(`${result.failures} requests failed`);
  return result.requests / result.seconds;
}
