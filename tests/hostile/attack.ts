/** What an attack is: a name, what must hold, and what it does. */

import type { Poller } from './gauge/poller.ts';
import type { Answer, Request } from './target/request.ts';
import type { Server } from './target/server.ts';

export type Part = 'work' | 'memory' | 'load' | 'browser' | 'rest';

/** What is asked of the server while and after it is attacked; undefined: not asked. */
export interface Goals {
  readonly gapMs?: number | undefined;
  readonly pointMs?: number | undefined;
  /** Above what the formula gives. */
  readonly residentExtraMib?: number | undefined;
  /** Share of one processor, half a second after the client has left. */
  readonly idleShare?: number | undefined;
  /** From SIGTERM to the end. */
  readonly stopMs?: number | undefined;
  /** The process answers afterwards; not so when the attack is its end. */
  readonly isAlive?: boolean | undefined;
  /** Point reads that are refused are failures. */
  readonly refusedPoints?: number | undefined;
}

interface Named {
  readonly name: string;
  readonly part: Part;
  /** One line: what is done. */
  readonly does: string;
}

/** On a server of its own over a copy of the loaded store, under the gauge. */
export interface LiveAttack extends Named {
  readonly kind: 'live';
  /** A flag that the executable does not know is left out. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly nofile?: number;
  readonly goals?: Goals;
  /** Before the gauge looks. */
  prepare?(stage: Stage): Promise<void>;
  strike(stage: Stage): Promise<Outcome>;
}

/** Does everything by itself: starts, kills, damages, starts again. */
export interface RestAttack extends Named {
  readonly kind: 'rest';
  strike(lab: Lab): Promise<Outcome>;
}

export type Attack = LiveAttack | RestAttack;

export interface Stage {
  readonly server: Server;
  readonly port: number;
  readonly poller: Poller;
  readonly rows: number;
  ask(request: Request): Promise<Answer>;
  /** `POST /execute`. */
  execute(body: string | Uint8Array, request?: Partial<Request>): Promise<Answer>;
}

export interface Lab {
  readonly binary: string;
  readonly rows: number;
  /** A directory whose `data` is a copy of the loaded store. */
  loaded(): string;
  /** An empty one. */
  empty(): string;
}

export interface Outcome {
  /** What the client got, in a few words each. */
  readonly got: readonly string[];
  /** What should not have happened. */
  readonly failures: readonly string[];
}

/** An outcome out of answers: each must be one, and none of them a 500. */
export function outcomeOf(answers: readonly Answer[], failures: readonly string[] = []): Outcome {
  const tally = new Map<string, number>();
  const bad: string[] = [];
  for (const { status, reason, text } of answers) {
    const what =
      status <= 0 ? (status === 0 ? 'closed' : 'no answer') : `${status} ${reason}`.trim();
    tally.set(what, (tally.get(what) ?? 0) + 1);
    if (status <= 0) bad.push(what);
    if (status === 500) bad.push(`500: ${/"detail": ?"([^"]{0,160})/.exec(text)?.[1] ?? ''}`);
  }
  const got = Array.from(tally, ([what, times]) => (times === 1 ? what : `${times} × ${what}`));
  return { got, failures: [...new Set(bad), ...failures] };
}
