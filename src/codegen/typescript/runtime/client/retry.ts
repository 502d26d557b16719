/** Which failure is tried again, and after how long. */

import type { Failure } from './failure.ts';

export interface RetryOptions {
  /** Requests for one operation at most, the first included (default 6). */
  readonly attempts?: number;
  /** The longest wait before another attempt, unless the server asks for more (default 1,000 ms). */
  readonly capMs?: number;
}

/** What may be repeated of an operation. */
interface Repeatable {
  readonly readOnly: boolean;
  /** The caller says that a write has the same effect when it happens twice. */
  readonly idempotent: boolean;
}

interface Rule {
  /** Waits are drawn below `baseMs · 2ⁿ`, n the number of waits before. */
  readonly baseMs: number;
  /** The shortest wait. */
  readonly leastMs: number;
  /** How often such a failure of a read, or of a write, is followed by another attempt. */
  readonly reads: number;
  readonly writes: number;
  /** Whether the server may have carried out what was sent. */
  readonly unclear?: boolean;
}

const always = Number.POSITIVE_INFINITY;

const race: Rule = { baseMs: 5, leastMs: 0, reads: always, writes: always };
const gate: Rule = { baseMs: 200, leastMs: 100, reads: 0, writes: always };
const busy: Rule = { baseMs: 100, leastMs: 0, reads: always, writes: always };
const failed: Rule = { baseMs: 5, leastMs: 0, reads: 1, writes: 0 };
const unsent: Rule = { baseMs: 100, leastMs: 0, reads: always, writes: always };
const broken: Rule = { baseMs: 100, leastMs: 0, reads: always, writes: 0, unclear: true };
const foreign: Rule = { ...broken, reads: 0 };
const final: Rule = { baseMs: 0, leastMs: 0, reads: 0, writes: 0 };

function ruleFor(failure: Failure): Rule {
  if ('problem' in failure) {
    const { status, code, reason } = failure.problem;
    if (status === 409 && code === 'conflict') {
      return /_(?:backpressure|finalizing)$/.test(reason) ? gate : race;
    }
    if (status === 503 && /^(?:overloaded|storage_unavailable)$/.test(reason)) return busy;
    const isKnownFinal = /^(?:commit_outcome_unknown|catalog_\w+)$/.test(reason);
    return status >= 500 && code === 'internal' && !isKnownFinal ? failed : final;
  }
  const { phase, status = 0 } = failure;
  if (phase === 'connect') return unsent;
  if (phase !== 'protocol') return broken;
  // A gateway between says that it lost the server, or the time for it; other pages mean that the address is wrong.
  if (status >= 502 && status <= 504) return broken;
  return status >= 300 && status < 500 ? final : foreign;
}

/** One operation's retries. */
export class Retries {
  /** Whether an attempt may have been carried out although nobody has told so. */
  outcomeUnclear = false;
  private readonly options: RetryOptions;
  private readonly counts = new Map<Rule, number>();
  private waits = 0;

  constructor(options: RetryOptions) {
    this.options = options;
  }

  /** Milliseconds to wait before the next attempt; undefined when there is none. `attempt` is the number of the one that failed. */
  delayAfter(
    failure: Failure,
    attempt: number,
    { readOnly, idempotent }: Repeatable,
    random: () => number,
  ): number | undefined {
    const { attempts = 6, capMs = 1000 } = this.options;
    const rule = ruleFor(failure);
    if (rule.unclear) this.outcomeUnclear = true;
    const count = (this.counts.get(rule) ?? 0) + 1;
    this.counts.set(rule, count);
    const canRepeat = readOnly || (idempotent && rule.unclear) ? rule.reads : rule.writes;
    if (count > canRepeat || attempt >= attempts) return undefined;
    const most = Math.max(rule.leastMs, Math.min(capMs, rule.baseMs * 2 ** this.waits++));
    const jitterMs = rule.leastMs + random() * (most - rule.leastMs);
    const askedMs = 'problem' in failure ? failure.retryAfterMs : undefined;
    return askedMs === undefined ? jitterMs : askedMs + jitterMs;
  }
}
