/** The handler of an internal or admin listener. The handler records each request as in progress from its arrival to its response. */

import type { Handler } from '../handler.ts';
import { Activity } from './activity.ts';
import { EdgeCounters } from './counters.ts';
import { Transport } from './transport.ts';

export interface TrackedHandler {
  readonly handle: Handler;
  /** Shutdown waits until it is idle. */
  readonly activity: Activity;
  readonly counters: EdgeCounters;
  /** Returns the ports of clients with a request in progress. */
  readonly busyPorts: () => ReadonlySet<number>;
}

export function trackedHandler(
  answer: (request: Request, transport: Transport) => Promise<Response>,
): TrackedHandler {
  const activity = new Activity();
  const transport = new Transport();
  const handle: Handler = async (request, sockets) => {
    if (sockets !== undefined) transport.attach(sockets);
    activity.enter();
    transport.enter(request);
    try {
      return await answer(request, transport);
    } finally {
      activity.leave();
      transport.leave(request);
    }
  };
  return { handle, activity, counters: new EdgeCounters(), busyPorts: () => transport.busyPorts() };
}
