/**
 * Sends responses. A small response is passed to the socket whole. A large response is sent in parts, each when the
 * client has read enough, and keeps its reserved response memory until the socket has accepted it. Slow clients
 * therefore hold no more memory than is accounted.
 */

import type { Scheduler } from '#base';
import type { EdgeCounters } from './counters.ts';
import { ResponseMemory, type ResponseShare, wholeBytesMax } from './response-memory.ts';
import { Sending } from './sending.ts';
import { SlowReaders } from './slow-readers.ts';

export interface OutgoingResponse {
  /** Text or UTF-8, in order. The sender takes over the pieces and drops each one once it is sent. */
  readonly pieces: readonly (string | Uint8Array)[];
  /** Total length in UTF-8. */
  readonly bytes: number;
  /** The response memory that is already reserved. */
  readonly share?: ResponseShare;
  /** Bytes of the rows from which the response was made. They are garbage by the time the response is sent. */
  readonly garbageBytes?: number;
}

interface AnswerSenderParts {
  readonly scheduler: Scheduler;
  readonly counters: EdgeCounters;
  /** Maximum bytes of all large responses, counted from their encoding. */
  readonly unsentBytesMax: number;
  /** Called with a number of bytes that have become garbage: first the rows of a large response, later the response itself. */
  readonly release?: ((bytes: number) => void) | undefined;
  /** Called for each response that was ended because its client read too slowly. */
  readonly onReaderClosed?: ((takenBytes: number, bytes: number) => void) | undefined;
}

type ReplyHeaders = Readonly<Record<string, string>>;

export class AnswerSender {
  readonly room: ResponseMemory;
  private readonly parts: AnswerSenderParts;
  private readonly readers: SlowReaders;
  private readonly streams = new WeakMap<Response, Promise<void>>();

  constructor(parts: AnswerSenderParts) {
    this.parts = parts;
    this.room = new ResponseMemory(parts.counters, parts.unsentBytesMax);
    this.readers = new SlowReaders(parts.scheduler);
  }

  /**
   * Sends a response. Calls `released` exactly once, when no memory of the response is held any more, whether it was
   * sent or not.
   */
  send(answer: OutgoingResponse, headers: ReplyHeaders, released: () => void = () => {}): Response {
    if (answer.bytes > wholeBytesMax) return this.stream(answer, headers, released);
    const body = whole(answer.pieces);
    answer.share?.keep(0);
    released();
    return new Response(body, { headers });
  }

  /**
   * Returns a promise that resolves when no memory of a response sent in parts is held any more. Returns `undefined` for
   * other responses.
   */
  sending(response: Response): Promise<void> | undefined {
    return this.parts.counters.unsentAnswers > 0 ? this.streams.get(response) : undefined;
  }

  private stream(answer: OutgoingResponse, headers: ReplyHeaders, released: () => void): Response {
    const { counters, release, onReaderClosed } = this.parts;
    const { bytes, share } = this.withRoom(answer);
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    counters.unsentAnswers++;
    release?.(answer.garbageBytes ?? bytes);
    const sending = new Sending(answer.pieces, {
      taken: () => share.keep(bytes - sending.takenBytes),
      gaveUp: () => {
        counters.slowReadersClosed++;
        onReaderClosed?.(sending.takenBytes, bytes);
      },
      over: () => {
        share.keep(0);
        counters.unsentAnswers--;
        this.readers.forget(sending);
        released();
        resolve();
        release?.(bytes);
      },
    });
    this.readers.watch(sending);
    // The connection closes after the response, so the time for its last part affects no later request.
    const response = new Response(sending.body(), { headers: { ...headers, connection: 'close' } });
    this.streams.set(response, sent);
    return response;
  }

  private withRoom({ bytes, share }: OutgoingResponse) {
    if (share !== undefined) return { bytes, share };
    const taken = this.room.share();
    taken.holdAnyway(bytes);
    return { bytes, share: taken };
  }
}

function whole(pieces: OutgoingResponse['pieces']): string | Uint8Array<ArrayBuffer> {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
}
