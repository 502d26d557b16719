/** One large answer on its way: parts go out when the reader has made room, until the end, or until the client or the server gives up. */

import { toParts } from './parts.ts';
import type { Reader } from './slow-readers.ts';

interface SendingEvents {
  /** The socket has taken more: `takenBytes` tells how much. */
  readonly taken: () => void;
  /** Followed by `over`. */
  readonly gaveUp: () => void;
  /** Nothing is held any more. Once, on every path. */
  readonly over: () => void;
}

export class Sending implements Reader {
  takenBytes = 0;
  private pieces: (string | Uint8Array)[];
  private readonly events: SendingEvents;
  private controller: ReadableStreamDirectController | undefined;
  private isOver = false;

  constructor(pieces: readonly (string | Uint8Array)[], events: SendingEvents) {
    this.pieces = [...pieces].reverse();
    this.events = events;
  }

  body(): ReadableStream {
    const source: Bun.DirectUnderlyingSource = {
      type: 'direct',
      pull: (controller) => this.pull(controller),
      // The client has left, before or after the first part, or the listener was closed.
      cancel: () => this.end(),
    };
    return new ReadableStream(source);
  }

  giveUp(): void {
    if (this.isOver) return;
    this.events.gaveUp();
    this.end();
    if (this.controller !== undefined) reset(this.controller);
  }

  private async pull(controller: ReadableStreamDirectController): Promise<void> {
    this.controller = controller;
    if (this.isOver) return reset(controller);
    try {
      for (let piece = this.pieces.pop(); piece !== undefined; piece = this.pieces.pop()) {
        await this.write(piece, controller);
      }
      if (!this.isOver) controller.end();
    } finally {
      this.end();
    }
  }

  private async write(piece: string | Uint8Array, controller: ReadableStreamDirectController) {
    for (const part of toParts(piece)) {
      const written = controller.write(part);
      // Pending while the socket is full.
      if (typeof written !== 'number') await written;
      if (this.isOver) return;
      this.took(part.length);
    }
  }

  private took(bytes: number): void {
    this.takenBytes += bytes;
    this.events.taken();
  }

  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.pieces = [];
    this.events.over();
  }
}

/** An orderly end would look like the end of the answer, and would wait for the reader. */
function reset(controller: ReadableStreamDirectController): void {
  controller.close(new Error('the reader takes too little'));
}
