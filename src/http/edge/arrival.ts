/** One body on its way in: what has come of it, and what ends the wait for the rest. */

/** Smaller chunks are copied into pieces, at most of this size; larger ones stay as they came, so that many bodies that arrive at once cost no copy. */
const pieceBytes = 64 << 10;
/** Of the first piece. Each is as large as all that has come: the beginnings of hundreds of bodies in one turn take little memory. */
const pieceBytesMin = 4 << 10;
/** So many chunks may be of any size: a client that writes its body line by line has no more. */
const chunksFree = 1024;
/** From there on, on average. Each chunk costs a call, whatever its size: millions of one byte would occupy the process for seconds. */
const chunkBytesMin = 64;

export class Arrival {
  /** With this tick its time is over. */
  readonly lastTick: number;
  /** As counted against the bound of all bodies. */
  heldBytes = 0;
  length = 0;
  private chunks = 0;
  /** What has come but for what is in `open`. */
  private pieces: Uint8Array[] = [];
  /** A piece that small chunks go to, and how much of it is used. */
  private open: Uint8Array | undefined;
  private used = 0;
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
    this.pieces = [];
    this.open = undefined;
    this.used = 0;
    this.length = 0;
    this.reject?.(why);
  }

  /** How many bytes more this arrival holds for it. Many small chunks cost no more than one large one. */
  append(chunk: Uint8Array): number {
    this.chunks++;
    this.length += chunk.length;
    if (chunk.length >= pieceBytes) {
      this.closePiece();
      this.pieces.push(chunk);
      return chunk.buffer.byteLength;
    }
    const room = this.open === undefined ? 0 : this.open.length - this.used;
    const fitting = Math.min(room, chunk.length);
    this.put(chunk.subarray(0, fitting));
    if (fitting === chunk.length) return 0;
    this.closePiece();
    this.open = new Uint8Array(Math.min(pieceBytes, Math.max(pieceBytesMin, this.length)));
    this.put(chunk.subarray(fitting));
    return this.open.length;
  }

  /** Whether it comes in ever so many tiny chunks. */
  get isCrumbled(): boolean {
    return this.chunks > chunksFree && this.length < this.chunks * chunkBytesMin;
  }

  /** Put together in one go, by whoever takes the body up. */
  bytes(): Uint8Array {
    this.closePiece();
    const [first] = this.pieces;
    if (first !== undefined && this.pieces.length === 1) return first;
    const whole = new Uint8Array(this.length);
    let at = 0;
    for (const piece of this.pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    this.pieces = [];
    return whole;
  }

  private put(bytes: Uint8Array): void {
    this.open?.set(bytes, this.used);
    this.used += bytes.length;
  }

  private closePiece(): void {
    if (this.open !== undefined) this.pieces.push(this.open.subarray(0, this.used));
    this.open = undefined;
    this.used = 0;
  }
}
