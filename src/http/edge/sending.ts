/**
 * Sends one large response in parts, each when the client has read enough. Ends with the last part, or when the client
 * or the server gives up.
 */

import { toParts } from './parts.ts';
import type { ResponseReader } from './slow-readers.ts';

interface SendingEvents {
  /** Called when the socket has accepted more bytes. `takenBytes` is their total. */
  readonly taken: () => void;
  /** Called when the server gives up, before `over`. */
  readonly gaveUp: () => void;
  /** Called exactly once on every path, when no memory of the response is held any more. */
  readonly over: () => void;
}

export class Sending implements ResponseReader {
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
      // The client has disconnected, before or after the first part, or the listener was closed.
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
      // The promise is pending while the socket buffer is full.
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

/** Resets the connection. A clean end would look like the end of the response and would wait for the client. */
function reset(controller: ReadableStreamDirectController): void {
  controller.close(new Error('the client reads too slowly'));
}
