/** The listening socket: opened with a message that helps, closed without waiting for clients that never finish. */

import { pause, type World } from '#base';
import type { Activity, Handler } from '#http';
import { type Address, formatAddress } from './address.ts';
import { type Bound, bindAll, codeOf } from './bind-all.ts';

/** How long a client gets to send or take its bytes once everything else has ended. */
const lingerMs = 5000;

export interface Listener {
  /** With the port that was really bound, and for all interfaces the host. */
  readonly address: Address;
  /** Each socket's own: several for a name with several addresses. */
  readonly addresses: readonly Address[];
  /** Refuses new connections, lets requests that are being worked on finish, then closes what is left. */
  drain(): Promise<void>;
  /** Closes what is left at once. */
  abort(): void;
}

interface ListenOptions {
  readonly address: Address;
  readonly handle: Handler;
  readonly activity: Activity;
  readonly world: World;
  /** A connection without traffic is closed after as long; absent: never. */
  readonly idleSeconds?: number;
  /** Which the address is from. */
  readonly flag?: string;
  /** PEM; absent: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** Throws when the address cannot be had. */
export function listen({
  address,
  handle,
  activity,
  world,
  idleSeconds = 0,
  flag = '--addr',
  tls,
}: ListenOptions): Listener {
  const { sockets, addresses } = bind({ address, handle, idleSeconds, flag, tls });
  const [first] = addresses as [Address];
  const host = address.isEveryInterface ? first.host : address.host;
  const stop = (closesConnections: boolean) =>
    Promise.all(sockets.map((socket) => socket.stop(closesConnections)));
  return {
    address: { host, port: first.port },
    addresses,
    async drain() {
      let isClosed = false;
      const closed = stop(false).then(() => {
        isClosed = true;
      });
      while (!isClosed) {
        await Promise.race([closed, activity.quiet()]);
        if (isClosed) return;
        // Half a request, or an answer that nobody takes: neither may hold the process for ever.
        await Promise.race([closed, pause(world.scheduler, lingerMs)]);
        if (activity.isQuiet) await stop(true);
      }
    },
    abort: () => void stop(true),
  };
}

type Binding = Pick<ListenOptions, 'address' | 'handle' | 'tls'> & {
  readonly idleSeconds: number;
  readonly flag: string;
};

function bind({ address, handle, idleSeconds, flag, tls }: Binding): Bound<Bun.Server<undefined>> {
  const open = (hostname: string, port: number) =>
    Bun.serve({
      hostname,
      port,
      // The application answers an oversized body itself, with a problem; the listener would close without one.
      maxRequestBodySize: 2 ** 40,
      // In development the listener itself writes errors with stacks and source lines to the log, for each answer that is broken off, say.
      development: false,
      // The default outside development: a second process on the same address would take half of the connections.
      reusePort: false,
      // Closing by idleness would also end a slow program and a result with gaps.
      idleTimeout: idleSeconds,
      fetch: handle,
      ...(tls === undefined ? {} : { tls }),
    });
  try {
    return bindAll(address, open);
  } catch (error) {
    throw new Error(`cannot listen on ${formatAddress(address)}: ${explain(error, flag)}`);
  }
}

const explanations: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is in use; stop what listens there, or choose another with FLAG',
  EADDRNOTAVAIL: 'this machine has no such address',
  EINVAL: 'the host is no address of this machine, and no name that leads to one',
  EACCES: 'the system does not permit it',
};

function explain(error: unknown, flag: string): string {
  const code = codeOf(error);
  const { message } = error as { readonly message?: string };
  // A name that leads to no address ends in whatever the last system call left behind.
  if (code !== undefined && !(code in explanations)) return explanations['EINVAL'] as string;
  return explanations[code ?? '']?.replace('FLAG', flag) ?? message ?? String(error);
}
