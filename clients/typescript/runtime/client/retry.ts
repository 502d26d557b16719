/** Rules for retries: the failures after which a request is repeated, and the delays. */

import type { Failure } from './failure.ts';

export interface RetryOptions {
  /** Maximum number of requests for one operation, including the first (default 6). */
  readonly attempts?: number;
  /** Longest delay before a retry, in milliseconds, unless the server requests a longer one (default 1,000). */
  readonly capMs?: number;
}

/** The retries after one kind of failure. */
export interface Rule {
  /** Delays are drawn at random below `baseMs · 2ⁿ`, where n is the number of earlier delays. */
  readonly baseMs: number;
  /** The shortest delay, in milliseconds. */
  readonly leastMs: number;
  /** Maximum number of retries after such a failure of a read, and of a write. */
  readonly reads: number;
  readonly writes: number;
  /** Whether the server may have executed the request. */
  readonly isUnclear: boolean;
}

const rule = (
  baseMs: number,
  leastMs: number,
  reads: number,
  writes: number,
  isUnclear = false,
): Rule => ({ baseMs, leastMs, reads, writes, isUnclear });

const always = 1 / 0;
const race = /* @__PURE__ */ rule(5, 0, always, always);
const transition = /* @__PURE__ */ rule(200, 100, 0, always);
const unsent = /* @__PURE__ */ rule(100, 0, always, always);
const failed = /* @__PURE__ */ rule(5, 0, 1, 0);
const broken = /* @__PURE__ */ rule(100, 0, always, 0, true);
const foreign = /* @__PURE__ */ rule(0, 0, 0, 0, true);
const final = /* @__PURE__ */ rule(0, 0, 0, 0);

export function ruleFor(failure: Failure): Rule {
  if ('problem' in failure) {
    const { status, code, reason } = failure.problem;
    if (status === 409 && code === 'conflict') {
      return /_(?:backpressure|finalizing)$/.test(reason) ? transition : race;
    }
    if (status === 503 && /^(?:overloaded|storage_unavailable)$/.test(reason)) return unsent;
    const mayPass = status >= 500 && code === 'internal';
    return mayPass && !/^(?:commit_|catalog_)/.test(reason) ? failed : final;
  }
  const { phase, status = 0 } = failure;
  if (phase === 'connect') return unsent;
  // A gateway between says that it lost the server, or the time for it; other pages mean that the address is wrong.
  if (phase !== 'protocol' || (status >= 502 && status <= 504)) return broken;
  return status >= 300 && status < 500 ? final : foreign;
}

/** Milliseconds to wait before the next attempt, after so many waits; `chance` lies in [0, 1). */
export function waitMs(
  { baseMs, leastMs }: Rule,
  failure: Failure,
  waits: number,
  { capMs = 1000 }: RetryOptions,
  chance: number,
): number {
  const most = Math.max(leastMs, Math.min(capMs, baseMs * 2 ** waits));
  const askedMs = 'problem' in failure ? (failure.retryAfterMs ?? 0) : 0;
  return askedMs + leastMs + chance * (most - leastMs);
}
