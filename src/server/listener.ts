/**
 * The listening socket: reports a helpful error if it cannot be opened, and closes without waiting for clients that
 * never finish.
 */

import { pause, type World } from '#base';
import type { Activity, Handler } from '#http';
import { type Address, formatAddress } from './address.ts';
import { type BoundSockets, bindAll, codeOf } from './bind-all.ts';

/** Time for a client to send or receive its bytes after all other requests have ended. */
const lingerMs = 5000;

export interface Listener {
  /** The bound port, and for all interfaces the bound host. */
  readonly address: Address;
  /** The address of each socket. A name with several addresses has several sockets. */
  readonly addresses: readonly Address[];
  /** Refuses new connections, waits for requests in progress, and then closes all remaining connections. */
  drain(): Promise<void>;
  /** Closes all remaining connections immediately. */
  abort(): void;
}

interface ListenOptions {
  readonly address: Address;
  readonly handle: Handler;
  readonly activity: Activity;
  readonly world: World;
  /** Time without traffic after which a connection is closed. If absent, idle connections stay open. */
  readonly idleSeconds?: number;
  /** The flag that configures the address. */
  readonly flag?: string;
  /** PEM texts. If absent, the listener serves plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

/** Throws if the address is not available. */
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
        // A client may have sent half a request or may not read its response. Neither client may delay the process
        // indefinitely.
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

function bind({
  address,
  handle,
  idleSeconds,
  flag,
  tls,
}: Binding): BoundSockets<Bun.Server<undefined>> {
  const open = (hostname: string, port: number) =>
    Bun.serve({
      hostname,
      port,
      // The application refuses an oversized body with a problem response. The listener would close the connection
      // without a response.
      maxRequestBodySize: 2 ** 40,
      // In development mode, the listener itself logs errors with stacks and source lines, for example for each aborted
      // response.
      development: false,
      // With port reuse, a second process on the same address would receive half of the connections.
      reusePort: false,
      // An idle timeout of the listener would also end a slow program and a result with gaps.
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
  EADDRINUSE:
    'the address is in use; stop the process that listens there, or choose another address with FLAG',
  EADDRNOTAVAIL: 'the address does not belong to this machine',
  EINVAL: 'the host is neither an address of this machine nor a name that resolves to one',
  EACCES: 'permission denied',
};

function explain(error: unknown, flag: string): string {
  const code = codeOf(error);
  const { message } = error as { readonly message?: string };
  // For a name without an address, the error contains the code of an unrelated system call.
  if (code !== undefined && !(code in explanations)) return explanations['EINVAL'] as string;
  return explanations[code ?? '']?.replace('FLAG', flag) ?? message ?? String(error);
}
