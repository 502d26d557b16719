/** Requests over connections of their own, and what they got. */

import { Connection } from './connection.ts';

export interface Request {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: string;
  /** The client leaves after this time. */
  readonly limitMs?: number;
}

export interface Answer {
  /** 0: none, the connection ended; -1: none in the time. */
  readonly status: number;
  readonly reason: string;
  readonly bytes: number;
  readonly ms: number;
  /** Head and body, at most 64 KiB of them. */
  readonly text: string;
}

/** The bytes of a request; `Host`, type and length unless `headers` says otherwise. */
export function requestBytes(port: number, request: Request): Buffer {
  const { method = request.body === undefined ? 'GET' : 'POST', path, body } = request;
  const payload = body === undefined ? undefined : Buffer.from(body);
  const headers: Record<string, string> = {
    host: `127.0.0.1:${port}`,
    ...(payload && {
      'content-type': 'application/json',
      'content-length': `${payload.length}`,
    }),
    ...request.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return payload === undefined ? head : Buffer.concat([head, payload]);
}

export async function ask(port: number, request: Request): Promise<Answer> {
  const { from, limitMs = 120_000 } = request;
  const startedAt = performance.now();
  const connection = new Connection({ port, ...(from !== undefined && { from }) });
  await connection.opened;
  connection.send(requestBytes(port, request));
  const answer = await answerOn(connection, limitMs);
  connection.leave();
  return { ...answer, ms: performance.now() - startedAt };
}

/** The answer that comes on a connection on which a request was sent. */
export async function answerOn(connection: Connection, limitMs: number): Promise<Answer> {
  const startedAt = performance.now();
  const isWhole = await connection.until(() => isComplete(connection), limitMs);
  const { head: text, bytes, isClosed } = connection;
  const status = isWhole || isClosed ? Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0) : -1;
  const ms = performance.now() - startedAt;
  const reason = /"reason": ?"(\w+)"/.exec(text)?.[1] ?? '';
  const isTorn = status > 0 && !isWhole && !text.includes('\r\n\r\n');
  return { status: isTorn ? 0 : status, reason, bytes, ms, text };
}

function isComplete({ head, tail, bytes }: Connection): boolean {
  const headEnd = head.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const fields = head.slice(0, headEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(fields)?.[1];
  if (length !== undefined) return bytes >= headEnd + 4 + Number(length);
  if (/\r\ntransfer-encoding: *chunked/i.test(fields)) return tail.endsWith('0\r\n\r\n');
  return /^HTTP\/1\.1 (204|304)/.test(head);
}
