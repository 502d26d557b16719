/**
 * Answers on their way out. A small one is handed to the socket as a whole; a large one goes in parts, each when the reader has made room for it,
 * and keeps its share of the unsent room until the socket has taken it. So readers that do not read hold no more memory than is counted there.
 */

import type { Scheduler } from '#base';
import type { EdgeCounters } from './counters.ts';
import { Sending } from './sending.ts';
import { SlowReaders } from './slow-readers.ts';
import { UnsentRoom, type UnsentShare, wholeBytesMax } from './unsent-room.ts';

export interface Answer {
  /** Text or UTF-8, in order. They are handed over: each is let go as soon as it is sent, when nobody else holds it. */
  readonly pieces: readonly (string | Uint8Array)[];
  /** What they are together in UTF-8. */
  readonly bytes: number;
  /** What it has of the unsent room already. */
  readonly share?: UnsentShare;
  /** Of the rows that it was made from: garbage by now. */
  readonly garbageBytes?: number;
}

interface AnswerSenderParts {
  readonly scheduler: Scheduler;
  readonly counters: EdgeCounters;
  /** Of large answers together, from the time they are encoded. */
  readonly unsentBytesMax: number;
  /** Told what is garbage from now on: the rows behind a large answer, and later the answer. */
  readonly letGo?: ((bytes: number) => void) | undefined;
  /** Told of each answer that was broken off because its reader took too little. */
  readonly onReaderClosed?: ((takenBytes: number, bytes: number) => void) | undefined;
}

type ReplyHeaders = Readonly<Record<string, string>>;

export class AnswerSender {
  readonly room: UnsentRoom;
  private readonly parts: AnswerSenderParts;
  private readonly readers: SlowReaders;
  private readonly streams = new WeakMap<Response, Promise<void>>();

  constructor(parts: AnswerSenderParts) {
    this.parts = parts;
    this.room = new UnsentRoom(parts.counters, parts.unsentBytesMax);
    this.readers = new SlowReaders(parts.scheduler);
  }

  /** `released` is called exactly once: when nothing of the answer is held any more, sent or not. */
  send(answer: Answer, headers: ReplyHeaders, released: () => void = () => {}): Response {
    if (answer.bytes > wholeBytesMax) return this.stream(answer, headers, released);
    const body = whole(answer.pieces);
    answer.share?.keep(0);
    released();
    return new Response(body, { headers });
  }

  /** For an answer that goes out in parts: resolves when nothing of it is held any more. */
  sending(response: Response): Promise<void> | undefined {
    return this.parts.counters.unsentAnswers > 0 ? this.streams.get(response) : undefined;
  }

  private stream(answer: Answer, headers: ReplyHeaders, released: () => void): Response {
    const { counters, letGo, onReaderClosed } = this.parts;
    const { bytes, share } = this.withRoom(answer);
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    counters.unsentAnswers++;
    letGo?.(answer.garbageBytes ?? bytes);
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
        letGo?.(bytes);
      },
    });
    this.readers.watch(sending);
    // The connection is not used again: how long the last part takes is nobody else's matter.
    const response = new Response(sending.body(), { headers: { ...headers, connection: 'close' } });
    this.streams.set(response, sent);
    return response;
  }

  private withRoom({ bytes, share }: Answer) {
    if (share !== undefined) return { bytes, share };
    const taken = this.room.share();
    taken.holdAnyway(bytes);
    return { bytes, share: taken };
  }
}

function whole(pieces: Answer['pieces']): string | Uint8Array<ArrayBuffer> {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
}
