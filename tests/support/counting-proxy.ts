/** An HTTP proxy on loopback that counts what it is asked for. It knows one host by each name: an origin that the test gives. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The variables that name a proxy, as tools have them. */
export const proxyVariables = [
  'HTTP_PROXY',
  'http_proxy',
  'HTTPS_PROXY',
  'https_proxy',
  'ALL_PROXY',
  'all_proxy',
] as const;

/** Without the variables of the machine that runs the tests. */
export const withoutProxies: Readonly<Record<string, string>> = Object.fromEntries(
  [...proxyVariables, 'NO_PROXY', 'no_proxy'].map((name) => [name, '']),
);

export interface CountingProxy extends AsyncDisposable {
  readonly url: string;
  /** `GET http://host/path` for each request, `CONNECT host:port` for each tunnel. */
  readonly asked: readonly string[];
  /** Resolves with the first of them. */
  readonly first: Promise<string>;
}

/** Every variable names the proxy. */
export function proxiedBy({ url }: CountingProxy): Readonly<Record<string, string>> {
  return { ...withoutProxies, ...Object.fromEntries(proxyVariables.map((name) => [name, url])) };
}

/** Forwards requests to `origin`, whatever host they name; without one it answers 502. Tunnels are refused. */
export async function openCountingProxy(origin?: string): Promise<CountingProxy> {
  const asked: string[] = [];
  const { promise: first, resolve } = Promise.withResolvers<string>();
  const note = (line: string) => {
    asked.push(line);
    resolve(line);
  };
  const server = createServer((request, response) => {
    note(`${request.method} ${request.url}`);
    void forward(origin, request, response);
  });
  server.on('connect', (request, socket) => {
    note(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    first,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function listening(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  return promise;
}

async function forward(
  origin: string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (origin === undefined) {
    response.writeHead(502).end('by the proxy');
    return;
  }
  const { pathname, search } = new URL(request.url ?? '', 'http://nowhere');
  const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
  const { method = 'GET', headers } = request;
  const answer = await fetch(`${origin}${pathname}${search}`, {
    method,
    headers: { 'content-type': headers['content-type'] ?? 'text/plain' },
    proxy: false,
    ...(body.length > 0 && { body }),
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
  response.end(bytes);
}
