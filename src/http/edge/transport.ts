/**
 * Operations on the sockets behind requests. Without a listener, for example in a test, there are no sockets, and the
 * operations do nothing.
 */

import type { TrustedProxies } from './trusted-proxies.ts';

/** The part of a listener that gives access to the socket of a request. */
export interface Sockets {
  /** Closes the socket after this many seconds without traffic. 0 means never. Applies until the next request on the socket. */
  timeout(request: Request, seconds: number): void;
  requestIP(request: Request): { readonly address: string; readonly port: number } | null;
}

/** Sends 100 Continue to the client with this address and port. */
export type SendContinue = (client: { readonly address: string; readonly port: number }) => void;

const continuing = '100-continue';

/** Longer than the 60 s after which common load balancers close an idle connection, so that the balancer closes it first. */
const keepAliveMsDefault = 75_000;

/** A dual-stack listener reports IPv4 clients as `::ffff:192.0.2.1`. */
const mappedStart = /^::ffff:(?=\d+\.)/i;

export class Transport {
  private sockets: Sockets | undefined;
  private readonly keepAliveSeconds: number;
  private readonly sendContinue: SendContinue | undefined;
  private readonly proxies: TrustedProxies | undefined;
  private readonly underWay = new Set<Request>();

  /** `keepAliveMs` is the time without a request after which a connection is closed. */
  constructor(
    keepAliveMs = keepAliveMsDefault,
    sendContinue?: SendContinue,
    proxies?: TrustedProxies,
  ) {
    this.proxies = proxies;
    this.keepAliveSeconds = socketSeconds(keepAliveMs);
    this.sendContinue = sendContinue;
  }

  attach(sockets: Sockets): void {
    this.sockets = sockets;
  }

  /** Returns the address of the client, also behind trusted proxies, or `undefined` if the client has disconnected or there is no socket. */
  address(request: Request): string | undefined {
    const connection = this.sockets?.requestIP(request)?.address.replace(mappedStart, '');
    if (this.proxies === undefined || connection === undefined) return connection;
    return this.proxies.clientOf(connection, request.headers.get('x-forwarded-for'));
  }

  /** Returns whether a trusted proxy has sent the request. */
  isFromProxy(request: Request): boolean {
    const connection = this.sockets?.requestIP(request)?.address;
    return connection !== undefined && this.proxies?.includes(connection) === true;
  }

  /** Marks the connection of this request as in use, until `leave` is called. */
  enter(request: Request): void {
    this.underWay.add(request);
  }

  leave(request: Request): void {
    this.underWay.delete(request);
  }

  /** Returns the ports of clients with a request in progress. */
  busyPorts(): ReadonlySet<number> {
    const ports = [...this.underWay].map((request) => this.sockets?.requestIP(request)?.port);
    return new Set(ports.filter((port) => port !== undefined));
  }

  /**
   * Sends 100 Continue to a client that waits for it. Called just before the body of `request` is read. The runtime
   * sends it only to clients that write `100-continue` in lower case. The name is case-insensitive (RFC 9110 §10.1.1).
   */
  askForBody(request: Request): void {
    const expected = request.headers.get('expect');
    if (expected === null || expected === continuing) return;
    if (expected.toLowerCase() !== continuing) return;
    const client = this.sockets?.requestIP(request) ?? null;
    if (client !== null) this.sendContinue?.(client);
  }

  /** Sets the idle timeout of the connection. Called just before a response: the time runs from the end of the response. */
  keepAlive(request: Request): void {
    this.sockets?.timeout(request, this.keepAliveSeconds);
  }
}

/** The runtime counts ticks of 4 s up to four minutes, and whole minutes beyond. The first tick can come at any time. */
const tickSeconds = 4;
const tickedSecondsMax = 240;
const minuteSeconds = 60;

/** Returns the timeout to set so that the socket closes no earlier than after `ms`. */
function socketSeconds(ms: number): number {
  const seconds = Math.ceil(ms / 1000) + tickSeconds;
  if (seconds <= tickedSecondsMax) return seconds;
  return (Math.ceil(ms / 1000 / minuteSeconds) + 1) * minuteSeconds;
}
