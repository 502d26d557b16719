/**
 * Coalesces equal concurrent requests into one execution, and serves cached results without execution.
 *
 * A request that finds no result starts a cache fill and computes the result. Requests that arrive while the state is
 * the one in which the fill began wait for its result. The fill reads that state or a later one, so no request gets a
 * result older than itself. A result is cached only if the state did not change during the fill.
 */

import {
  type Engine,
  isSameState,
  type PreparedProgram,
  type ReadState,
  type RequestContext,
} from '#engine';
import type { OutgoingResponse } from '../../edge/send-answer.ts';
import type { CachedResult, RelationCache, RelationKey } from './relation-cache.ts';

/**
 * `again`: the request that computed the result had to stop, and another one may continue. `alone`: the computation
 * failed or the result is too large to share, and each request computes its own.
 */
type Outcome = CachedResult | 'again' | 'alone';

/** Maximum number of waiting requests. Further requests enter the queue of programs, which is bounded. */
const waitersMax = 1024;

/** The part of the engine that this class uses. */
type StateSource = Pick<Engine, 'stateOf'>;

interface Asked extends RelationKey {
  readonly program: PreparedProgram;
}

/** The facts about a result, known once it is complete. */
export type CachedResultFacts = Omit<CachedResult, 'pieces' | 'bytes' | 'ms'>;

export class CoalescedResults {
  private readonly cache: RelationCache;
  private readonly clock: { monotonicMs(): number };
  private readonly fillings = new Map<string, CacheFill>();

  constructor(cache: RelationCache, clock: { monotonicMs(): number }) {
    this.cache = cache;
    this.clock = clock;
  }

  /**
   * Returns the cached result, or a cache fill that the caller must complete. Returns `undefined` if the caller must
   * compute the result only for itself.
   */
  ask(
    asked: Asked,
    engine: StateSource,
    requestContext: RequestContext,
  ): CachedResult | CacheFill | undefined | Promise<CachedResult | CacheFill | undefined> {
    const state = engine.stateOf(asked.program);
    if (state === undefined) return undefined;
    const { body } = asked;
    const { counters } = this.cache;
    const held = this.cache.find(asked, state);
    if (held !== undefined) {
      counters.hits++;
      counters.avoidedMs += held.ms;
      return held;
    }
    const under = this.fillings.get(body);
    if (under !== undefined && isSameState(under.state, state)) {
      return under.waiters < waitersMax
        ? this.wait(under, asked, engine, requestContext)
        : undefined;
    }
    counters.misses++;
    const isWanted = this.cache.missed(body);
    const filling = new CacheFill(
      { ...asked, state, isWanted, engine, cache: this.cache },
      this.clock,
      () => {
        if (this.fillings.get(body) === filling) this.fillings.delete(body);
      },
    );
    this.fillings.set(body, filling);
    return filling;
  }

  private async wait(
    filling: CacheFill,
    asked: Asked,
    engine: StateSource,
    requestContext: RequestContext,
  ): Promise<CachedResult | CacheFill | undefined> {
    filling.waiters++;
    const outcome = await requestContext.budget
      .until(filling.outcome)
      .finally(() => filling.waiters--);
    if (outcome === 'again') return this.ask(asked, engine, requestContext);
    const { counters } = this.cache;
    if (outcome === 'alone') {
      counters.misses++;
      return undefined;
    }
    counters.coalesced++;
    counters.avoidedMs += outcome.ms;
    return outcome;
  }
}

interface FillingParts extends Asked {
  readonly state: ReadState;
  /** Whether to cache the result if the state does not change. */
  readonly isWanted: boolean;
  readonly engine: StateSource;
  readonly cache: RelationCache;
}

export class CacheFill {
  waiters = 0;
  /** Created when the first request waits. Most fills have no waiting request. */
  private waited: PromiseWithResolvers<Outcome> | undefined;
  private readonly parts: FillingParts;
  private readonly clock: { monotonicMs(): number };
  private readonly beganMs: number;
  private readonly over: () => void;
  private isOver = false;

  constructor(parts: FillingParts, clock: { monotonicMs(): number }, over: () => void) {
    this.parts = parts;
    this.clock = clock;
    this.beganMs = clock.monotonicMs();
    this.over = over;
  }

  /** Resolves with the outcome of the fill. */
  get outcome(): Promise<Outcome> {
    this.waited ??= Promise.withResolvers<Outcome>();
    return this.waited.promise;
  }

  get state(): ReadState {
    return this.parts.state;
  }

  /**
   * Completes the fill with a result that is not sent yet. If the plan is no longer current, the result belongs to this request alone: under
   * new policies it may depend on claims that the key does not contain.
   */
  done(answer: string | OutgoingResponse, facts: CachedResultFacts): void {
    const { isWanted, cache, engine, program } = this.parts;
    const isAsked = this.waiters > 0 || isWanted;
    const bytes = typeof answer === 'string' ? answer.length : answer.bytes;
    const isSmall = bytes <= cache.limits.resultBytesMax;
    if (isWanted && !isSmall) cache.counters.refusedSize++;
    const now = isAsked && isSmall ? engine.stateOf(program) : undefined;
    if (now === undefined) {
      if (isWanted && isSmall) cache.counters.refusedChanged++;
      this.end('alone');
      return;
    }
    const pieces = piecesOf(answer);
    const ms = this.clock.monotonicMs() - this.beganMs;
    const held = {
      ...facts,
      pieces,
      bytes: pieces.reduce((sum, { length }) => sum + length, 0),
      ms,
    };
    if (isWanted) this.keep(held, now);
    this.end(held);
  }

  /**
   * Caches the result if the state at the end is that at the beginning. Otherwise the state that it was read from is not
   * known.
   */
  private keep(held: CachedResult, now: ReadState): void {
    const { cache, state } = this.parts;
    if (isSameState(state, now)) cache.add(this.parts, state, held);
    else cache.counters.refusedChanged++;
  }

  /** Completes the fill without a result. `isOwn` means that the reason lies in this request, not in the program. */
  failed(isOwn: boolean): void {
    this.end(isOwn ? 'again' : 'alone');
  }

  private end(outcome: Outcome): void {
    if (this.isOver) return;
    this.isOver = true;
    this.over();
    this.waited?.resolve(outcome);
  }
}

const encoder = new TextEncoder();

/** Copies the pieces into new memory. */
function piecesOf(answer: string | OutgoingResponse): readonly Uint8Array<ArrayBuffer>[] {
  if (typeof answer === 'string') return [encoder.encode(answer)];
  return answer.pieces.map((piece) =>
    typeof piece === 'string' ? encoder.encode(piece) : new Uint8Array(piece),
  );
}
