/** The network between a server and its store: it can break. */

import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Network extends AsyncDisposable {
  readonly endpoint: string;
  /** Ends all connections, and refuses new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
}

export async function startNetwork(target: string): Promise<Network> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const hold = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const open = () =>
    createServer((near) => {
      hold(near);
      const far = connect(Number(port), hostname);
      hold(far);
      near.pipe(far).pipe(near);
    });
  const listen = (server: Server, at: number) =>
    new Promise<number>((resolve) =>
      server.listen(at, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      }),
    );
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const close = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));
  let server = open();
  const own = await listen(server, 0);
  let isCut = false;
  const cut = async () => {
    if (isCut) return;
    isCut = true;
    const closed = close(server);
    endAll();
    await closed;
  };
  return {
    endpoint: `http://127.0.0.1:${own}`,
    cut,
    [Symbol.asyncDispose]: cut,
    async restore() {
      if (!isCut) return;
      server = open();
      await listen(server, own);
      isCut = false;
    },
  };
}
