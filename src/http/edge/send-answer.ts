/**
 * Answers on their way out. A small one is handed to the socket as a whole; a large one goes in parts, each when the reader has made room for it,
 * and counts as unsent until the socket has taken the last of them. So readers that do not read hold no more memory than is counted here.
 */

import type { Scheduler } from '#base';
import { fail } from '#failure';
import type { EdgeCounters } from './counters.ts';
import { Sending } from './sending.ts';
import { SlowReaders } from './slow-readers.ts';

/** An answer up to this size is sent as a whole: buffers of the kernel take it. */
export const wholeBytesMax = 1 << 20;

export interface Answer {
  /** Text or UTF-8, in order. They are handed over: each is let go as soon as it is sent, when nobody else holds it. */
  readonly pieces: readonly (string | Uint8Array)[];
  /** What they are together in UTF-8. */
  readonly bytes: number;
}

export interface AnswerSenderParts {
  readonly scheduler: Scheduler;
  readonly counters: EdgeCounters;
  /** When this much is unsent, no other program begins. */
  readonly unsentBytesMax: number;
  /** Told what is garbage from now on: the rows behind a large answer, and later the answer. */
  readonly letGo?: ((bytes: number) => void) | undefined;
}

type ReplyHeaders = Readonly<Record<string, string>>;

export class AnswerSender {
  private readonly parts: AnswerSenderParts;
  private readonly readers: SlowReaders;
  private readonly streams = new WeakMap<Response, Promise<void>>();

  constructor(parts: AnswerSenderParts) {
    this.parts = parts;
    this.readers = new SlowReaders(parts.scheduler);
  }

  /** Call before a program begins: throws `overloaded` while too much is unsent. */
  admit(): void {
    const { counters, unsentBytesMax } = this.parts;
    if (counters.unsentBytes < unsentBytesMax) return;
    counters.refusedForUnsent++;
    const unsentMib = Math.round(counters.unsentBytes / (1 << 20));
    throw fail(
      'overloaded',
      `${unsentMib} MiB of answers wait for their readers, and --unsent-mib allows ${unsentBytesMax / (1 << 20)}; try again later`,
      { retryAfterSeconds: 1 },
    );
  }

  /** `released` is called exactly once: when nothing of the answer is held any more, sent or not. */
  send(answer: Answer, headers: ReplyHeaders, released: () => void = () => {}): Response {
    if (answer.bytes > wholeBytesMax) return this.stream(answer, headers, released);
    const body = whole(answer.pieces);
    released();
    return new Response(body, { headers });
  }

  /** For an answer that goes out in parts: resolves when nothing of it is held any more. */
  sending(response: Response): Promise<void> | undefined {
    return this.parts.counters.unsentAnswers > 0 ? this.streams.get(response) : undefined;
  }

  private stream({ pieces, bytes }: Answer, headers: ReplyHeaders, released: () => void): Response {
    const { counters, letGo } = this.parts;
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    counters.unsentBytes += bytes;
    counters.unsentAnswers++;
    // The rows that it was made from are garbage by now.
    letGo?.(bytes);
    const sending = new Sending(pieces, {
      taken: (count) => {
        counters.unsentBytes -= count;
      },
      gaveUp: () => {
        counters.slowReadersClosed++;
      },
      over: () => {
        counters.unsentBytes -= bytes - sending.takenBytes;
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
}

function whole(pieces: Answer['pieces']): string | Uint8Array<ArrayBuffer> {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
}
