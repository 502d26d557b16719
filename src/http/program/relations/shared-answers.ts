/**
 * One execution for all who ask the same at the same time, and none where the answer is kept.
 *
 * A request that finds neither makes the answer: a filling. Those that come while the state is what it was when the filling began wait for it: the state that the filling reads is
 * that one, or one that came later, so nobody gets an answer from before the own request. Kept is what was begun and done in one state.
 */

import {
  type Engine,
  isSameState,
  type PreparedProgram,
  type ReadState,
  type Ticket,
} from '#engine';
import type { Answer } from '../../edge/send-answer.ts';
import type { CachedResult, RelationCache } from './relation-cache.ts';

/** `again`: whoever made it had to stop, and somebody else may go on. `alone`: it failed, or is too large to be shared: each on its own. */
type Outcome = CachedResult | 'again' | 'alone';

/** More than these do not wait: they take their place in the queue of programs, which is bounded. */
const waitersMax = 1024;

/** What the engine is asked. */
type StateSource = Pick<Engine, 'stateOf'>;

interface Asked {
  readonly body: string;
  readonly program: PreparedProgram;
}

/** What is told of an answer once it is there. */
export type CachedResultFacts = Omit<CachedResult, 'pieces' | 'bytes' | 'ms'>;

export class SharedAnswers {
  private readonly cache: RelationCache;
  private readonly clock: { monotonicMs(): number };
  private readonly fillings = new Map<string, Filling>();

  constructor(cache: RelationCache, clock: { monotonicMs(): number }) {
    this.cache = cache;
    this.clock = clock;
  }

  /** The answer; or a filling, which the caller has to end; undefined: the caller makes it for itself alone. */
  ask(
    asked: Asked,
    engine: StateSource,
    ticket: Ticket,
  ): CachedResult | Filling | undefined | Promise<CachedResult | Filling | undefined> {
    const state = engine.stateOf(asked.program);
    if (state === undefined) return undefined;
    const { body } = asked;
    const { counters } = this.cache;
    const held = this.cache.find(body, state);
    if (held !== undefined) {
      counters.hits++;
      counters.avoidedMs += held.ms;
      return held;
    }
    const under = this.fillings.get(body);
    if (under !== undefined && isSameState(under.state, state)) {
      return under.waiters < waitersMax ? this.wait(under, asked, engine, ticket) : undefined;
    }
    counters.misses++;
    const isWanted = this.cache.missed(body);
    const filling = new Filling(
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
    filling: Filling,
    asked: Asked,
    engine: StateSource,
    ticket: Ticket,
  ): Promise<CachedResult | Filling | undefined> {
    filling.waiters++;
    const outcome = await ticket.budget.until(filling.outcome).finally(() => filling.waiters--);
    if (outcome === 'again') return this.ask(asked, engine, ticket);
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
  /** To be kept, if nothing changes. */
  readonly isWanted: boolean;
  readonly engine: StateSource;
  readonly cache: RelationCache;
}

export class Filling {
  waiters = 0;
  /** Once somebody waits: nearly always nobody does. */
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

  /** What comes of it. */
  get outcome(): Promise<Outcome> {
    this.waited ??= Promise.withResolvers<Outcome>();
    return this.waited.promise;
  }

  get state(): ReadState {
    return this.parts.state;
  }

  /** The answer is there, and not sent yet. */
  done(answer: string | Answer, facts: CachedResultFacts): void {
    const { isWanted, cache } = this.parts;
    const isAsked = this.waiters > 0 || isWanted;
    const bytes = typeof answer === 'string' ? answer.length : answer.bytes;
    const isSmall = bytes <= cache.limits.resultBytesMax;
    if (isWanted && !isSmall) cache.counters.refusedSize++;
    if (!isAsked || !isSmall) {
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
    if (isWanted) this.keep(held);
    this.end(held);
  }

  /** Only what was begun and done in one state: what it was read from in between is known then. */
  private keep(held: CachedResult): void {
    const { cache, engine, body, program, state } = this.parts;
    const now = engine.stateOf(program);
    const isSame = now !== undefined && isSameState(state, now);
    if (isSame) cache.add(body, state, held);
    else cache.counters.refusedChanged++;
  }

  /** There is no answer; `isOwn`: for a reason that is this request's, not the program's. */
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

/** In memory of their own. */
function piecesOf(answer: string | Answer): readonly Uint8Array<ArrayBuffer>[] {
  if (typeof answer === 'string') return [encoder.encode(answer)];
  return answer.pieces.map((piece) =>
    typeof piece === 'string' ? encoder.encode(piece) : new Uint8Array(piece),
  );
}
