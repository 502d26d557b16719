/** TLS clients: openssl for handshakes, and connections of node that send what they are told once and never again. */

import { readFileSync } from 'node:fs';
import { type ConnectionOptions, connect } from 'node:tls';
import type { Pair } from '../../support/certificates.ts';

export interface Asked {
  /** The server name that the client sends; none by default. */
  readonly name?: string;
  /** A flag of `openssl s_client`, such as `-tls1_2`. */
  readonly version?: string;
  readonly client?: Pair;
}

export interface Handshake {
  /** Whether a response arrived. */
  readonly isServed: boolean;
  /** The subject of the certificate that the server presented. */
  readonly subject: string | undefined;
}

/** Connects with openssl and requests `/livez`. */
export async function handshake(port: number, asked: Asked = {}): Promise<Handshake> {
  const { name, version, client } = asked;
  const child = Bun.spawn(
    [
      'openssl',
      's_client',
      '-connect',
      `127.0.0.1:${port}`,
      '-ign_eof',
      // Versions before 1.2 need ciphers that clients no longer offer by default.
      ...['-cipher', 'DEFAULT@SECLEVEL=0'],
      ...(name === undefined ? ['-noservername'] : ['-servername', name]),
      ...(version === undefined ? [] : [version]),
      ...(client === undefined ? [] : ['-cert', client.cert, '-key', client.key]),
    ],
    { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' },
  );
  child.stdin.write('GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n');
  await child.stdin.flush();
  const [stdout] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  child.stdin.end();
  return {
    isServed: stdout.includes('HTTP/1.1 200'),
    subject: /^subject=.*?CN ?= ?(\S+)/m.exec(stdout)?.[1],
  };
}

/** A connection of an HTTP client that neither checks it before a request nor retries. */
export interface Line {
  /** Sends a request. Resolves with the whole response. Rejects if the connection ends before. */
  get(path: string): Promise<string>;
  /** The common name of the issuer of the certificate. */
  readonly issuer: string;
  readonly closed: Promise<void>;
  end(): void;
}

export async function openLine(port: number, options: ConnectionOptions = {}): Promise<Line> {
  const socket = connect({ port, host: '127.0.0.1', ...options });
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed during the handshake')));
  });
  let failure: Error | undefined;
  socket.on('error', (error) => {
    failure = error;
  });
  return {
    get: (path) =>
      new Promise((resolve, reject) => {
        let received = '';
        const lost = () => reject(failure ?? new Error(`closed after: ${received}`));
        const take = (bytes: Buffer) => {
          received += bytes;
          const length = /content-length: (\d+)/i.exec(received)?.[1];
          const head = received.indexOf('\r\n\r\n') + 4;
          if (length === undefined || head < 4 || received.length < head + Number(length)) return;
          socket.off('data', take);
          socket.off('close', lost);
          resolve(received);
        };
        socket.on('data', take);
        socket.once('close', lost);
        socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
      }),
    issuer: String(socket.getPeerCertificate().issuer?.CN),
    closed,
    end: () => void socket.destroy(),
  };
}

export const textOf = (path: string) => readFileSync(path, 'utf8');

/** The flags of pairs. */
export function flagsOf(prefix: string, pairs: readonly Pair[]): Record<string, string> {
  return {
    [`${prefix}-cert`]: pairs.map(({ cert }) => cert).join(','),
    [`${prefix}-key`]: pairs.map(({ key }) => key).join(','),
  };
}
