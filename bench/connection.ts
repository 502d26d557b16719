/** One keep-alive HTTP/1.1 connection that sends prepared requests one after another and counts answers: as little client as possible. */

export interface Request {
  readonly bytes: Uint8Array;
}

/** JSON, unless `headers` say otherwise. */
export function prepare(
  port: number,
  method: string,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Uint8Array {
  const payload = Buffer.from(body);
  const all = { 'content-type': 'application/json', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head =
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
    `${lines.join('')}Content-Length: ${payload.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), payload]);
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly failures: number;
  /** Of each request, in ms, sorted. */
  readonly latencies: Float64Array;
}

/** `connections` clients send `next()` until `durationMs` is over; answers of another status than `expected` have failed. */
export async function load(
  port: number,
  connections: number,
  durationMs: number,
  next: () => Uint8Array,
  expected = 200,
): Promise<LoadResult> {
  const latencies: number[] = [];
  let failures = 0;
  const started = performance.now();
  const deadline = started + durationMs;
  const client = () =>
    new Promise<void>((resolve, reject) => {
      let sentAt = 0;
      let received: Buffer = Buffer.alloc(0);
      const send = (socket: { write(data: Uint8Array): number; end(): void }) => {
        if (performance.now() >= deadline) {
          socket.end();
          resolve();
          return;
        }
        sentAt = performance.now();
        socket.write(next());
      };
      Bun.connect({
        hostname: '127.0.0.1',
        port,
        socket: {
          open: (socket) => send(socket),
          data: (socket, data) => {
            received = received.length === 0 ? data : Buffer.concat([received, data]);
            const status = completeAnswer(received);
            if (status === 0) return;
            if (status !== expected) failures++;
            latencies.push(performance.now() - sentAt);
            received = Buffer.alloc(0);
            send(socket);
          },
          error: (_socket, error) => reject(error),
          connectError: (_socket, error) => reject(error),
          close: () => resolve(),
        },
      }).catch(reject);
    });
  await Promise.all(Array.from({ length: connections }, client));
  const seconds = (performance.now() - started) / 1000;
  return {
    requests: latencies.length,
    seconds,
    failures,
    latencies: Float64Array.from(latencies).sort(),
  };
}

/** The status of the answer once all of it is there, else 0. */
function completeAnswer(received: Buffer): number {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return 0;
  const head = received.toString('latin1', 0, headEnd);
  const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  if (received.length < headEnd + 4 + length) return 0;
  return Number(head.slice(9, 12));
}
