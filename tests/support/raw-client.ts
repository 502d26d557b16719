/** A TCP client that sends what it is told and nothing else, for requests that no HTTP client would make. */

import { connect, type Socket } from 'node:net';

export interface RawClient {
  send(bytes: string | Uint8Array): void;
  /** Everything received so far once it contains `text`; rejects when the connection ends before. */
  until(text: string): Promise<string>;
  /** Resolves with everything received when the connection has ended. */
  readonly closed: Promise<string>;
  /** What was received so far is not looked at again. */
  forget(): void;
  /** Takes no more bytes from the connection. */
  pause(): void;
  end(): void;
}

export async function openRawClient(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1');
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return clientOf(socket);
}

function clientOf(socket: Socket): RawClient {
  let received = '';
  let isOver = false;
  let changed = Promise.withResolvers<void>();
  const wake = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
    wake();
  });
  // A reset is an end like any other here.
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => {
      isOver = true;
      wake();
      resolve(received);
    });
  });
  return {
    send: (bytes) => void socket.write(bytes),
    async until(text) {
      while (!received.includes(text)) {
        if (isOver) throw new Error(`the connection ended; received: ${received}`);
        await changed.promise;
      }
      return received;
    },
    closed,
    forget: () => {
      received = '';
    },
    pause: () => void socket.pause(),
    end: () => void socket.destroy(),
  };
}
