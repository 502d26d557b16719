/**
 * The result of a program as text. A light one is written in one go; a large one in pieces, giving way between them, in account, within the room for
 * what is unsent, and never above its limit. The result of a program that writes is measured before the commit: what cannot be answered does not happen.
 */

import type { ShapedRows, Ticket } from '#engine';
import { fail } from '#failure';
import { encodeInPieces, encodeResult, isLightResult, PieceWriter } from '#value';
import type { Answer } from '../edge/send-answer.ts';
import type { UnsentRoom, UnsentShare } from '../edge/unsent-room.ts';

const nothing = () => '';
/** A look at the clock between any two steps. */
const stepWork = 1024;

export class ResultText {
  private readonly ticket: Ticket;
  private readonly bytesMax: number;
  private readonly room: UnsentRoom;
  /** Of large answers only. */
  private known: UnsentShare | undefined;
  /** What has been written already. */
  private written: { readonly result: ShapedRows; readonly writer: PieceWriter } | undefined;

  constructor(ticket: Ticket, bytesMax: number, room: UnsentRoom) {
    this.ticket = ticket;
    this.bytesMax = bytesMax;
    this.room = room;
  }

  private get share(): UnsentShare {
    this.known ??= this.room.share();
    return this.known;
  }

  /** Measures a large result of a program that writes. */
  beforeCommit(result: ShapedRows): Promise<void> | undefined {
    return isLight(result) ? undefined : this.write(result);
  }

  /** The answer, with `head` and `tail` around the result; one text when the result is light. */
  answer(
    result: ShapedRows | undefined,
    head = '',
    tail: () => string = nothing,
  ): string | Promise<Answer> {
    if (result !== undefined && !isLight(result)) return this.largeAnswer(result, head, tail);
    this.drop();
    return head + (result === undefined ? 'null' : textOf(result)) + tail();
  }

  /** There will be no answer of what has been written. */
  drop(): void {
    this.written = undefined;
    this.known?.keep(0);
  }

  private async largeAnswer(result: ShapedRows, head: string, tail: () => string): Promise<Answer> {
    if (this.written?.result !== result) await this.write(result);
    const { pieces, bytes, heldBytes } = (this.written as NonNullable<typeof this.written>).writer;
    // Neither the rows nor pieces that are sent may live on with the ticket, which goes back with the last piece.
    this.written = undefined;
    this.share.keep(heldBytes);
    const garbageBytes = this.ticket.answered(heldBytes);
    const end = tail();
    return {
      pieces: [head, ...pieces, end],
      bytes: bytes + Buffer.byteLength(head) + Buffer.byteLength(end),
      share: this.share,
      garbageBytes,
    };
  }

  private async write(result: ShapedRows): Promise<void> {
    const writer = new PieceWriter();
    const { ticket } = this;
    for (const _ of encodeInPieces({ ...result, shape: result.cardinality }, writer)) {
      this.check(writer);
      this.share.hold(writer.heldBytes);
      ticket.holdAnswer(writer.heldBytes);
      const pause = ticket.budget.pause(stepWork);
      if (pause !== undefined) await pause;
    }
    writer.flush();
    this.check(writer);
    this.share.hold(writer.heldBytes);
    this.written = { result, writer };
  }

  private check({ bytes }: PieceWriter): void {
    if (bytes <= this.bytesMax) return;
    const mebibytes = this.bytesMax / 2 ** 20;
    throw fail(
      'result_limit',
      `the result takes more than ${mebibytes} MiB (--max-result-mib): ask for fewer rows or columns, or for a part at a time; nothing happened`,
    );
  }
}

function isLight({ columns, rows }: ShapedRows): boolean {
  return isLightResult(columns, rows);
}

function textOf({ columns, rows, cardinality }: ShapedRows): string {
  return encodeResult(columns, rows, cardinality);
}
