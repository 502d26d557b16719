/** Common ways to strike. */

import { type Goals, type LiveAttack, type Outcome, outcomeOf, type Stage } from '../attack.ts';
import { Connection } from '../target/connection.ts';
import { requestBytes } from '../target/request.ts';

/** Programs that leave merges behind keep the processor at work for good reason. */
export const writes: Goals = { idleShare: undefined };

/** Sends `body` at once over `clients` connections, and waits for all answers. */
export function together(clients: number, body: (i: number) => string): LiveAttack['strike'] {
  return async (stage) => {
    const asks = Array.from({ length: clients }, (_, i) => stage.execute(body(i)));
    return outcomeOf(await Promise.all(asks));
  };
}

/** Opens connections and sends `bytes` on each, a few at a time so that the backlog holds them. */
export async function openMany(
  stage: Stage,
  clients: number,
  bytes: string | Uint8Array,
): Promise<Connection[]> {
  const all: Connection[] = [];
  while (all.length < clients) {
    const some = Array.from(
      { length: Math.min(250, clients - all.length) },
      () => new Connection({ port: stage.port }),
    );
    all.push(...some);
    await Promise.race([Promise.all(some.map(({ opened }) => opened)), Bun.sleep(3000)]);
    for (const connection of some) connection.send(bytes);
  }
  return all;
}

export function executeBytes(stage: Stage, body: string): Buffer {
  return requestBytes(stage.port, { path: '/execute', body });
}

export const nothing: Outcome = { got: [], failures: [] };
