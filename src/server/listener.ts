/**
 * The listening sockets: reports a helpful error if they cannot be opened, exchanges their certificates, and closes
 * without waiting for clients that never finish.
 */

import { pause, type World } from '#base';
import type { Activity, Handler } from '#http';
import { type Address, formatAddress } from './address.ts';
import { codeOf } from './bind-all.ts';
import { assertFree, SocketGroup } from './socket-group.ts';
import type { TlsEntry } from './tls/tls-entry.ts';

/** Time for a client to send or receive its bytes after all other requests have ended. */
const lingerMs = 5000;
/**
 * Time between the replacement of a group and the closing of its idle connections. Responses in this time tell their
 * clients that the connection closes.
 */
const retiringMs = 1000;
/** Time after which all connections of a replaced group are closed. */
const retiredMsMax = 30_000;

export interface Listener {
  /** The bound port, and for all interfaces the bound host. */
  readonly address: Address;
  /** The address of each socket. A name with several addresses has several sockets. */
  readonly addresses: readonly Address[];
  /**
   * Opens a second group of sockets on the same addresses, with other certificates, and retires the first one: running
   * requests continue for at most 30 s. Throws and changes nothing if a certificate is unusable.
   */
  replace(tls: readonly TlsEntry[]): void;
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
  /** The default certificate first. If absent, the listener serves plain HTTP. */
  readonly tls?: readonly TlsEntry[] | undefined;
  /** Called after each opening of sockets on the port, with whether they replace others, which are still open. */
  readonly onOpened?: (port: number, isReplacement: boolean) => void;
}

/** Throws if the address is not available. */
export function listen(options: ListenOptions): Listener {
  const { address, handle, activity, world, idleSeconds = 0, flag = '--addr', onOpened } = options;
  const parts = { handle, idleSeconds };
  const { group, bound } = openFirst({ ...parts, address, tls: options.tls }, flag);
  const groups = new SocketGroups(group, world);
  const { addresses } = group;
  const [first] = addresses as [Address];
  const host = address.isEveryInterface ? first.host : address.host;
  onOpened?.(first.port, false);
  return {
    address: { host, port: first.port },
    addresses,
    replace(tls) {
      if (groups.isStopping) return;
      groups.replace(new SocketGroup({ ...parts, address: bound, tls }));
      onOpened?.(first.port, true);
    },
    async drain() {
      let isClosed = false;
      const closed = groups.stop(false).then(() => {
        isClosed = true;
      });
      while (!isClosed) {
        await Promise.race([closed, activity.quiet()]);
        if (isClosed) return;
        // A client may have sent half a request or may not read its response. Neither client may delay the process
        // indefinitely.
        await Promise.race([closed, pause(world.scheduler, lingerMs)]);
        if (activity.isQuiet) await groups.stop(true);
      }
    },
    abort: () => void groups.stop(true),
  };
}

/** The open groups of a listener: the present one and those that it has replaced. */
class SocketGroups {
  private readonly open = new Set<SocketGroup>();
  private readonly world: World;
  private present: SocketGroup;
  isStopping = false;

  constructor(first: SocketGroup, world: World) {
    this.present = first;
    this.world = world;
    this.open.add(first);
  }

  replace(next: SocketGroup): void {
    const { present: former } = this;
    const { scheduler } = this.world;
    this.present = next;
    this.open.add(next);
    former.retire();
    scheduler.after(retiringMs, () => {
      const end = scheduler.after(retiredMsMax - retiringMs, () => void former.stop(true));
      void former.stop(false).then(() => {
        end.cancel();
        this.open.delete(former);
      });
    });
  }

  async stop(closesConnections: boolean): Promise<void> {
    this.isStopping = true;
    await Promise.all([...this.open].map((group) => group.stop(closesConnections)));
  }
}

/** Opens the first group. `bound` is the address for later groups: all of its hosts and the port are fixed. */
function openFirst(
  options: ConstructorParameters<typeof SocketGroup>[0],
  flag: string,
): { readonly group: SocketGroup; readonly bound: Address } {
  const { address, tls } = options;
  try {
    const bound = tls === undefined ? address : assertFree(options);
    return { group: new SocketGroup({ ...options, address: bound }), bound };
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
