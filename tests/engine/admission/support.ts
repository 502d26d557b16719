/** An admission in a world whose clock and turns the test moves. */

import { OpenPrincipal } from '#access';
import type { World } from '#base';
import { DatabaseError } from '#failure';
import { Admission, type AdmissionLimits } from '../../../src/engine/admission/admission.ts';
import type {
  RequestContext,
  RequestFacts,
} from '../../../src/engine/admission/request-context.ts';

export interface TurningWorld extends World {
  /** Time passes, as when something computes. */
  spend(ms: number): void;
  /** The next turn of the event loop, and all that follows from it at once. */
  turn(): Promise<void>;
}

export function turningWorld(): TurningWorld {
  let now = 1000;
  let waiting: (() => void)[] = [];
  const world = {
    clock: { unixMs: () => now, monotonicMs: () => now },
    random: { unit: () => 0.5, fill: (target: Uint8Array) => target },
    scheduler: {
      yield: () => new Promise<void>((resolve) => void waiting.push(resolve)),
      afterTurn: (task: () => void) => void waiting.push(task),
      after: () => ({ cancel: () => {} }),
    },
    spend: (ms: number) => {
      now += ms;
    },
    turn: async () => {
      const due = waiting;
      waiting = [];
      for (const resume of due) resume();
      await settled();
    },
  };
  return world;
}

/** Everything has happened that waits for nothing outside. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

export function admissionIn(world: World, limits: Partial<AdmissionLimits> = {}): Admission {
  return new Admission(world, {
    programMemoryBytes: 1 << 28,
    memoryBytes: 1 << 30,
    timeoutMs: 0,
    concurrency: 8,
    queueMax: 16,
    ...limits,
  });
}

export interface Client {
  readonly requestContext: RequestContext;
  /** Whether its program may run. */
  isIn: boolean;
  /** Called as soon as it may. */
  whenIn: (() => void) | undefined;
  failure: string | undefined;
}

/** A request of `principal` that asks to run a query. */
export function enter(admission: Admission, principal: string, facts: RequestFacts = {}): Client {
  const requestContext = admission.requestContext({
    principal: new OpenPrincipal(() => principal),
    ...facts,
  });
  const client: Client = { requestContext, isIn: false, whenIn: undefined, failure: undefined };
  try {
    const wait = requestContext.enter(false);
    if (wait === undefined) client.isIn = true;
    else {
      wait.then(
        () => {
          client.isIn = true;
          client.whenIn?.();
        },
        (error: unknown) => {
          client.failure = nameOf(error);
          requestContext.close();
        },
      );
    }
  } catch (error) {
    client.failure = nameOf(error);
    requestContext.close();
  }
  return client;
}

export function nameOf(error: unknown): string {
  if (error instanceof DatabaseError) return error.failure.reason;
  return error instanceof Error ? error.name : String(error);
}
