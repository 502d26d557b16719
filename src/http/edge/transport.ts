/** What the application asks of the sockets behind its requests. Without a listener (a test, say) there are none, and nothing happens. */

/** The part of a listener that knows the socket of a request. */
export interface Sockets {
  /** Closes the socket after so many seconds without traffic; 0 never does. Holds until the next request on it. */
  timeout(request: Request, seconds: number): void;
  requestIP(request: Request): { readonly address: string; readonly port: number } | null;
}

/** Sends 100 Continue to the client with this address and port. */
export type SendContinue = (client: { readonly address: string; readonly port: number }) => void;

const continuing = '100-continue';

/** Longer than the 60 s after which common load balancers close an idle connection, so that the balancer closes it first. */
const keepAliveMsDefault = 75_000;

/** A listener that takes IPv4 and IPv6 has clients of IPv4 as `::ffff:192.0.2.1`. */
const mappedStart = /^::ffff:(?=\d+\.)/i;

export class Transport {
  private sockets: Sockets | undefined;
  private readonly keepAliveSeconds: number;
  private readonly sendContinue: SendContinue | undefined;
  private readonly underWay = new Set<Request>();

  /** `keepAliveMs`: the time without a request after which a connection is closed. */
  constructor(keepAliveMs = keepAliveMsDefault, sendContinue?: SendContinue) {
    this.keepAliveSeconds = socketSeconds(keepAliveMs);
    this.sendContinue = sendContinue;
  }

  attach(sockets: Sockets): void {
    this.sockets = sockets;
  }

  /** The address of the client; undefined when the client has left, or there is no socket. */
  address(request: Request): string | undefined {
    return this.sockets?.requestIP(request)?.address.replace(mappedStart, '');
  }

  /** From here to `leave` the connection of this request is in use. */
  enter(request: Request): void {
    this.underWay.add(request);
  }

  leave(request: Request): void {
    this.underWay.delete(request);
  }

  /** Ports of the clients whose requests are under way. */
  busyPorts(): ReadonlySet<number> {
    const ports = [...this.underWay].map((request) => this.sockets?.requestIP(request)?.port);
    return new Set(ports.filter((port) => port !== undefined));
  }

  /**
   * Just before the body of `request` is read: a client that waits for 100 Continue gets it. The runtime has sent it to those that write `100-continue`
   * in lower case alone; the name is the same in any case of letters (RFC 9110 §10.1.1).
   */
  askForBody(request: Request): void {
    const expected = request.headers.get('expect');
    if (expected === null || expected === continuing) return;
    if (expected.toLowerCase() !== continuing) return;
    const client = this.sockets?.requestIP(request) ?? null;
    if (client !== null) this.sendContinue?.(client);
  }

  /** Just before an answer: from its end on, the connection is closed when no other request comes. */
  keepAlive(request: Request): void {
    this.sockets?.timeout(request, this.keepAliveSeconds);
  }
}

/** The runtime counts ticks of 4 s up to four minutes, whole minutes beyond, and the first tick comes at any time. */
const tickSeconds = 4;
const tickedSecondsMax = 240;
const minuteSeconds = 60;

/** Returns the timeout to set so that the socket closes no earlier than after `ms`. */
function socketSeconds(ms: number): number {
  const seconds = Math.ceil(ms / 1000) + tickSeconds;
  if (seconds <= tickedSecondsMax) return seconds;
  return (Math.ceil(ms / 1000 / minuteSeconds) + 1) * minuteSeconds;
}
