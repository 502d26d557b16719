/**
 * Pauses between attempts. The pauses grow exponentially and have a random part, so that clients do
 * not retry simultaneously.
 */

import type { World } from '#base';
import { meaningOf } from './answer.ts';
import type { S3Answer, S3Silence } from './exchange.ts';

const firstMs = { failing: 50, throttled: 200 } as const;
const longestMs = 5000;

export function pauseBefore(
  { random, scheduler }: World,
  attempt: number,
  outcome: S3Answer | S3Silence,
): Promise<void> {
  const first = meaningOf(outcome) === 'throttled' ? firstMs.throttled : firstMs.failing;
  const spreadMs = Math.min(longestMs, first * 2 ** (attempt - 1));
  const delayMs = Math.max(spreadMs * (0.5 + random.unit() / 2), askedForMs(outcome));
  return new Promise((resolve) => void scheduler.after(Math.ceil(delayMs), resolve));
}

function askedForMs(outcome: S3Answer | S3Silence): number {
  if (outcome.kind === 'silence') return 0;
  const seconds = Number(outcome.headers.get('retry-after') ?? 0);
  return seconds > 0 ? Math.min(longestMs, seconds * 1000) : 0;
}
