/** The open connections of a listener: their number, and the keys by which clients cancel statements. */

import type { Random } from '#base';

/** A connection that can be found by its key. */
interface Keyed {
  cancel(): void;
}

export class ConnectionKeys<T extends Keyed> {
  private readonly random: Random;
  private readonly byPid = new Map<number, { readonly secret: number; readonly connection: T }>();

  constructor(random: Random) {
    this.random = random;
  }

  /** Draws a process ID that is not in use and a secret. */
  add(connection: T): { readonly pid: number; readonly secret: number } {
    let pid = 0;
    while (pid === 0 || this.byPid.has(pid)) pid = this.draw() & 0x7fff_ffff;
    const secret = this.draw();
    this.byPid.set(pid, { secret, connection });
    return { pid, secret };
  }

  remove(pid: number): void {
    this.byPid.delete(pid);
  }

  /** Cancels the running statement of a connection. A wrong key has no effect and no answer. */
  cancel(pid: number, secret: number): void {
    const found = this.byPid.get(pid);
    if (found?.secret === secret) found.connection.cancel();
  }

  private draw(): number {
    const bytes = this.random.fill(new Uint8Array(4));
    return new DataView(bytes.buffer, bytes.byteOffset).getInt32(0);
  }
}
