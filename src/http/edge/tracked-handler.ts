/** The handler of a listener beside the public one: activity and transport know each request from its arrival to its answer. */

import type { Handler } from '../handler.ts';
import { Activity } from './activity.ts';
import { EdgeCounters } from './counters.ts';
import { Transport } from './transport.ts';

export interface TrackedHandler {
  readonly handle: Handler;
  /** An orderly stop waits for its end. */
  readonly activity: Activity;
  readonly counters: EdgeCounters;
  /** Ports of the clients whose requests are under way. */
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
