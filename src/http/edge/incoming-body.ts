/** One request body while it is received: its bytes, and the refusal that can end it early. */

/**
 * Maximum size of a piece. Smaller chunks are copied into pieces. Larger chunks are kept as received, so that many
 * simultaneous bodies need no copy.
 */
const pieceBytes = 64 << 10;
/**
 * Size of the first piece. A new piece is as large as all bytes received so far, so that the beginnings of hundreds of
 * bodies take little memory.
 */
const pieceBytesMin = 4 << 10;
/** Number of chunks that may have any size. A client that writes its body line by line sends fewer. */
const chunksFree = 1024;
/**
 * Minimum average chunk size beyond that number. Each chunk costs one call, regardless of its size: millions of 1-byte
 * chunks would occupy the process for seconds.
 */
const chunkBytesMin = 64;

export class IncomingBody {
  /** The tick at which the body times out. */
  readonly lastTick: number;
  /** Bytes that count against the limit of all bodies. */
  heldBytes = 0;
  length = 0;
  private chunks = 0;
  /** The received bytes, except those in `open`. */
  private pieces: Uint8Array[] = [];
  /** The piece to which small chunks are copied. `used` is the number of bytes in it. */
  private open: Uint8Array | undefined;
  private used = 0;
  private reject: ((why: Error) => void) | undefined;
  private refused: Error | undefined;

  constructor(lastTick: number) {
    this.lastTick = lastTick;
  }

  /** Returns the result of `work`, or rejects when this body is refused first. Only one call at a time is allowed. */
  orRefused<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.onRefusal(reject);
      work.then(resolve, reject);
    });
  }

  /** Calls `reject` when this body is refused, or immediately if it already was. */
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

  /**
   * Adds a chunk and returns the bytes by which the memory of this body grew. Many small chunks take no more memory than
   * one large chunk.
   */
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

  /** Whether the body consists of too many tiny chunks. */
  get isCrumbled(): boolean {
    return this.chunks > chunksFree && this.length < this.chunks * chunkBytesMin;
  }

  /** Returns the whole body, joined in one step. Called once, when the body is complete. */
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
