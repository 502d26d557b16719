/** One body on its way in: what has come of it, and what ends the wait for the rest. */

const firstCapacity = 64 << 10;
/** So many chunks may be of any size: a client that writes its body line by line has no more. */
const chunksFree = 1024;
/** From there on, on average. Each chunk costs a call, whatever its size: millions of one byte would occupy the process for seconds. */
const chunkBytesMin = 64;
const nothing: Uint8Array = new Uint8Array(0);

export class Arrival {
  /** With this tick its time is over. */
  readonly lastTick: number;
  /** As counted against the bound of all bodies. */
  heldBytes = 0;
  length = 0;
  private chunks = 0;
  private buffer = nothing;
  private reject: ((why: Error) => void) | undefined;
  private refused: Error | undefined;

  constructor(lastTick: number) {
    this.lastTick = lastTick;
  }

  /** `work`, unless this arrival is refused before it is done. One at a time. */
  orRefused<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.onRefusal(reject);
      work.then(resolve, reject);
    });
  }

  /** `reject` is called when this arrival is refused, or has been. */
  onRefusal(reject: (why: Error) => void): void {
    this.reject = reject;
    if (this.refused !== undefined) reject(this.refused);
  }

  refuse(why: Error): void {
    this.refused = why;
    this.buffer = nothing;
    this.reject?.(why);
  }

  /** How many bytes more this arrival holds for it. Many small chunks cost no more than one large one. */
  append(chunk: Uint8Array): number {
    this.chunks++;
    const before = this.buffer.length;
    const needed = this.length + chunk.length;
    if (needed > before) {
      const grown = new Uint8Array(Math.max(needed, 2 * before, firstCapacity));
      grown.set(this.buffer.subarray(0, this.length));
      this.buffer = grown;
    }
    this.buffer.set(chunk, this.length);
    this.length = needed;
    return this.buffer.length - before;
  }

  /** Whether it comes in ever so many tiny chunks. */
  get isCrumbled(): boolean {
    return this.chunks > chunksFree && this.length < this.chunks * chunkBytesMin;
  }

  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}
