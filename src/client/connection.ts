/** Sends one request with a time limit and parses the response. */

import { readFileSync } from 'node:fs';
import { routedFetch, type Scheduler } from '#base';
import { type ProblemDocument, ServerProblem, Unreachable } from './failure.ts';

type Fetch = (
  url: string,
  init: RequestInit & { readonly tls?: { readonly ca?: string; readonly serverName?: string } },
) => Promise<Response>;

interface ConnectionOptions {
  readonly origin: string;
  readonly scheduler: Scheduler;
  /** A file with a bearer token. The file is read again for each request, so that the token can be renewed. */
  readonly tokenFile?: string | undefined;
  /** A bearer token; `tokenFile` has priority. */
  readonly token?: string | undefined;
  /** A PEM file of the certificate authorities to trust instead of those of the system. */
  readonly caFile?: string | undefined;
  /** The name that the certificate of the server must contain, if it is not the host of `origin`. */
  readonly serverName?: string | undefined;
  readonly timeoutMs?: number;
  readonly fetch?: Fetch;
}

const timeoutMsDefault = 30_000;

/** Options of a request in addition to its method, path and body. */
interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the time limit of the connection. */
  readonly timeoutMs?: number;
}

export class Connection {
  readonly origin: string;
  private readonly options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.origin = options.origin;
  }

  /** Returns a connection to another listener of the same server, with the same token and limits. */
  at(origin: string): Connection {
    return new Connection({ ...this.options, origin });
  }

  /**
   * Returns the parsed JSON of the response, or `undefined` if the response has no body. A string as `body` is JSON text and is sent verbatim. Throws
   * ServerProblem or Unreachable.
   */
  async send(
    method: string,
    path: string,
    body?: unknown,
    options: SendOptions = {},
  ): Promise<unknown> {
    const { text, response } = await this.exchange({ method, path, body }, options);
    if (text === '') {
      if (response.ok) return undefined;
      throw new Unreachable(this.origin, foreign(response.status));
    }
    const parsed = parseJson(text);
    if (response.ok && parsed !== undefined) return parsed;
    if (isProblem(parsed)) throw new ServerProblem(response.status, parsed);
    throw new Unreachable(this.origin, foreign(response.status));
  }

  /** Returns the raw text of the response. Throws ServerProblem or Unreachable. */
  async text(path: string): Promise<string> {
    const { text, response } = await this.exchange({ method: 'GET', path });
    if (response.ok) return text;
    const parsed = parseJson(text);
    if (isProblem(parsed)) throw new ServerProblem(response.status, parsed);
    throw new Unreachable(this.origin, foreign(response.status));
  }

  /** Requests a probe. Returns its reason, and whether it passes. Throws Unreachable. */
  async probe(path: string): Promise<{ readonly isPassing: boolean; readonly reason: string }> {
    const { text, response } = await this.exchange({ method: 'GET', path });
    const { reason } = (parseJson(text) ?? {}) as { readonly reason?: unknown };
    if (typeof reason === 'string') return { isPassing: response.ok, reason };
    throw new Unreachable(this.origin, foreign(response.status));
  }

  private async exchange({ method, path, body }: Sent, more: SendOptions = {}) {
    const { origin, scheduler, fetch: send = routedFetch } = this.options;
    const limitMs = more.timeoutMs ?? this.options.timeoutMs ?? timeoutMsDefault;
    const headers = { ...this.headers(body), ...more.headers };
    const trust = this.trust();
    const timeout = new AbortController();
    const timer = scheduler.after(limitMs, () => timeout.abort());
    try {
      const response = await send(origin + path, {
        method,
        headers,
        // A redirect could send the token to another server.
        redirect: 'manual',
        signal: timeout.signal,
        ...trust,
        ...(body === undefined ? {} : { body: textOf(body) }),
      });
      if (response.status >= 300 && response.status < 400)
        throw new Unreachable(origin, redirected);
      return { response, text: await response.text() };
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      const isLate = timeout.signal.aborted;
      const [why, remedy]: Reason = isLate
        ? [`nothing within ${limitMs / 1000} s`]
        : reasonOf(error, origin);
      throw new Unreachable(origin, why, { cause: error, remedy });
    } finally {
      timer.cancel();
    }
  }

  private trust() {
    const { caFile, serverName } = this.options;
    if (caFile === undefined && serverName === undefined) return {};
    const ca = caFile === undefined ? {} : { ca: textIn(caFile, 'CA file') };
    return { tls: { ...ca, ...(serverName !== undefined && { serverName }) } };
  }

  private headers(body: unknown): Record<string, string> {
    const { tokenFile, token: given } = this.options;
    const token = tokenFile === undefined ? given : textIn(tokenFile, 'access token file');
    if (token !== undefined && !isToken.test(token)) throw new Error(noToken);
    return {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }
}

const redirected =
  'its response is a redirect, which commands do not follow; use the address of the database itself';

const isToken = /^[!-~]+$/;
const noToken =
  'the access token is empty, or contains a character that no token has; see --access-token-file, SVC_ACCESS_TOKEN_FILE and SVC_ACCESS_TOKEN';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Describes a response that does not come from svc. */
function foreign(status: number): string {
  return `the server there is not svc (its response has status ${status})`;
}

function textIn(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ENOENT')
      throw new Error(`the ${what} ${file} does not exist`);
    throw new Error(`the ${what} ${file} cannot be read`, { cause });
  }
}

/** The reason why a request has no response, and the remedy if one is known. */
type Reason = readonly [why: string, remedy?: string];

const untrusted: Reason = [
  'the certificate of the server there is not of a trusted authority',
  'name its authority with --ca-file or SVC_CA_FILE',
];
const closed = 'the connection was closed';

const reasons: Readonly<Record<string, Reason>> = {
  ConnectionRefused: ['no server listens there'],
  ECONNREFUSED: ['no server listens there'],
  FailedToOpenSocket: ['the host does not exist or is not reachable'],
  ENOTFOUND: ['the host does not exist or is not reachable'],
  EAI_AGAIN: ['the host does not exist or is not reachable'],
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'the certificate of the server there is for other names',
    'use one of these names, or a certificate that contains this one',
  ],
  CERT_HAS_EXPIRED: ['the certificate of the server there has expired', 'renew it'],
  EPROTO: ['the server there does not use TLS', 'write svc:// or http://'],
};

function reasonOf(error: unknown, origin: string): Reason {
  const { code = '', message } = error as { code?: string; message?: string };
  if (code === 'ConnectionClosed' || code === 'ECONNRESET') {
    const isPlain = origin.startsWith('http:');
    return isPlain ? [closed, 'if the server uses TLS, write svcs:// or https://'] : [closed];
  }
  return reasons[code] ?? [message ?? String(error)];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is ProblemDocument {
  return typeof value === 'object' && value !== null && 'title' in value && 'status' in value;
}
