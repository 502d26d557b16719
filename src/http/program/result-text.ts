/**
 * Encodes the result of a program. A light result is encoded in one step. A large result is encoded in pieces with
 * yields in between. Its memory is accounted, counts against the response memory limit and never exceeds its own limit.
 * The result of a program that writes is encoded before the commit: if it cannot be returned, nothing is committed.
 */

import type { RequestContext, ShapedRows } from '#engine';
import { fail } from '#failure';
import { encodeInPieces, encodeResult, isLightResult, PieceWriter } from '#value';
import type { ResponseMemory, ResponseShare } from '../edge/response-memory.ts';
import type { OutgoingResponse } from '../edge/send-answer.ts';

const nothing = () => '';
/** Work units per step, after each of which the clock is checked. */
const stepWork = 1024;

export class ResultText {
  private readonly requestContext: RequestContext;
  private readonly bytesMax: number;
  private readonly room: ResponseMemory;
  /** The response memory of a large result. */
  private known: ResponseShare | undefined;
  /** The result that was already encoded. */
  private written: { readonly result: ShapedRows; readonly writer: PieceWriter } | undefined;

  constructor(requestContext: RequestContext, bytesMax: number, room: ResponseMemory) {
    this.requestContext = requestContext;
    this.bytesMax = bytesMax;
    this.room = room;
  }

  private get share(): ResponseShare {
    this.known ??= this.room.share();
    return this.known;
  }

  /** Encodes a large result of a program that writes, to check its size before the commit. */
  beforeCommit(result: ShapedRows): Promise<void> | undefined {
    return isLight(result) ? undefined : this.write(result);
  }

  /** Returns the response, with `head` and `tail` around the result. The response is one text if the result is light. */
  answer(
    result: ShapedRows | undefined,
    head = '',
    tail: () => string = nothing,
  ): string | Promise<OutgoingResponse> {
    if (result !== undefined && !isLight(result)) return this.largeAnswer(result, head, tail);
    this.drop();
    return head + (result === undefined ? 'null' : textOf(result)) + tail();
  }

  /** Discards the encoded result and its memory, because no response will contain it. */
  drop(): void {
    this.written = undefined;
    this.known?.keep(0);
  }

  private async largeAnswer(
    result: ShapedRows,
    head: string,
    tail: () => string,
  ): Promise<OutgoingResponse> {
    if (this.written?.result !== result) await this.write(result);
    const { pieces, bytes, heldBytes } = (this.written as NonNullable<typeof this.written>).writer;
    // The request context stays open until the last piece is sent. The context must not keep the rows and the sent pieces alive.
    this.written = undefined;
    this.share.keep(heldBytes);
    const garbageBytes = this.requestContext.answered(heldBytes);
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
    const { requestContext } = this;
    for (const _ of encodeInPieces({ ...result, shape: result.cardinality }, writer)) {
      this.check(writer);
      this.share.hold(writer.heldBytes);
      requestContext.holdAnswer(writer.heldBytes);
      const pause = requestContext.budget.pause(stepWork);
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
      `the result exceeds ${mebibytes} MiB (--max-result-mib); nothing was changed; request fewer rows or columns, or a part at a time; a program that changes rows can name a query in "result"`,
    );
  }
}

function isLight({ columns, rows }: ShapedRows): boolean {
  return isLightResult(columns, rows);
}

function textOf({ columns, rows, cardinality }: ShapedRows): string {
  return encodeResult(columns, rows, cardinality);
}
