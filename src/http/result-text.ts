/**
 * The result of a program as text. A light one is written in one go; a large one in pieces, giving way between them, in account, and never
 * above its limit. The result of a program that writes is measured before the commit: what cannot be answered does not happen.
 */

import type { ResultCheck, ShapedRows, Ticket } from '#engine';
import { fail } from '#failure';
import { encodeInPieces, encodeResult, isLightResult, PieceWriter } from '#value';
import type { Answer } from './edge/send-answer.ts';

const nothing = () => '';
/** A look at the clock between any two steps. */
const stepWork = 1024;

export class ResultText implements ResultCheck {
  private readonly ticket: Ticket;
  private readonly bytesMax: number;
  /** What has been written already. */
  private written: { readonly result: ShapedRows; readonly writer: PieceWriter } | undefined;

  constructor(ticket: Ticket, bytesMax: number) {
    this.ticket = ticket;
    this.bytesMax = bytesMax;
    ticket.resultCheck = this;
  }

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
    const text = head + (result === undefined ? 'null' : textOf(result)) + tail();
    return text;
  }

  private async largeAnswer(result: ShapedRows, head: string, tail: () => string): Promise<Answer> {
    if (this.written?.result !== result) await this.write(result);
    const { pieces, bytes, heldBytes } = (this.written as NonNullable<typeof this.written>).writer;
    this.ticket.answered(heldBytes);
    const end = tail();
    return {
      pieces: [head, ...pieces, end],
      bytes: bytes + Buffer.byteLength(head) + Buffer.byteLength(end),
    };
  }

  private async write(result: ShapedRows): Promise<void> {
    const writer = new PieceWriter();
    const { ticket } = this;
    for (const _ of encodeInPieces({ ...result, shape: result.cardinality }, writer)) {
      this.check(writer);
      ticket.holdAnswer(writer.heldBytes);
      const pause = ticket.budget.pause(stepWork);
      if (pause !== undefined) await pause;
    }
    writer.flush();
    this.check(writer);
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
