/** The messages to a client, except rows. */

import type { MessageWriter } from './message-writer.ts';

export function authenticationOk(to: MessageWriter): void {
  to.begin('R');
  to.int32(0);
  to.end();
}

export function authenticationCleartext(to: MessageWriter): void {
  to.begin('R');
  to.int32(3);
  to.end();
}

export function parameterStatus(to: MessageWriter, name: string, value: string): void {
  to.begin('S');
  to.text(name);
  to.text(value);
  to.end();
}

export function backendKey(to: MessageWriter, pid: number, secret: number): void {
  to.begin('K');
  to.int32(pid);
  to.int32(secret);
  to.end();
}

/** Says that the server speaks 3.0 and does not know `options`. */
export function negotiateVersion(to: MessageWriter, options: readonly string[]): void {
  to.begin('v');
  to.int32(3 << 16);
  to.int32(options.length);
  for (const option of options) to.text(option);
  to.end();
}

/** `I`: idle, `T`: in a transaction block, `E`: in a failed one. */
export type ReadyState = 'I' | 'T' | 'E';

export function readyForQuery(to: MessageWriter, state: ReadyState): void {
  to.begin('Z');
  to.byte(state.charCodeAt(0));
  to.end();
}

export function commandComplete(to: MessageWriter, tag: string): void {
  to.begin('C');
  to.text(tag);
  to.end();
}

/** Messages without a body. */
const bare = {
  parseComplete: '1',
  bindComplete: '2',
  closeComplete: '3',
  noData: 'n',
  emptyQuery: 'I',
  portalSuspended: 's',
} as const;

export function bareMessage(to: MessageWriter, kind: keyof typeof bare): void {
  to.begin(bare[kind]);
  to.end();
}

export function parameterDescription(to: MessageWriter, types: readonly number[]): void {
  to.begin('t');
  to.int16(types.length);
  for (const type of types) to.int32(type);
  to.end();
}

interface DescribedColumn {
  readonly name: string;
  readonly tableId: number;
  readonly columnId: number;
  readonly type: { readonly oid: number; readonly length: number; readonly modifier: number };
  readonly format: number;
}

export function rowDescription(to: MessageWriter, columns: readonly DescribedColumn[]): void {
  to.begin('T');
  to.int16(columns.length);
  for (const { name, tableId, columnId, type, format } of columns) {
    to.text(name);
    to.int32(tableId);
    to.int16(columnId);
    to.int32(type.oid);
    to.int16(type.length);
    to.int32(type.modifier);
    to.int16(format);
  }
  to.end();
}

/** Fields of an error or a notice, by the letters of the protocol. The message contains only the fields that are set. */
export type NoticeFields = Readonly<Record<string, string | undefined>>;

export function errorResponse(to: MessageWriter, fields: NoticeFields): void {
  withFields(to, 'E', fields);
}

export function noticeResponse(to: MessageWriter, fields: NoticeFields): void {
  withFields(to, 'N', fields);
}

function withFields(to: MessageWriter, type: 'E' | 'N', fields: NoticeFields): void {
  to.begin(type);
  for (const [letter, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    to.byte(letter.charCodeAt(0));
    to.text(value);
  }
  to.byte(0);
  to.end();
}
