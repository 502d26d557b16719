/** Part of an object. What came is compared with what was asked for: a server may ignore a range, or clip it. */

import type { S3Client } from './client.ts';
import type { S3Answer } from './exchange.ts';

/** The range begins at or behind the end of the object. */
const behindEnd = 416;

/** `length` is above 0. Clipped at the end of the object; undefined when it is absent. */
export async function readRange(
  client: S3Client,
  name: string,
  offset: number,
  length: number,
): Promise<Uint8Array | undefined> {
  const range = `bytes=${offset}-${offset + length - 1}`;
  return client.ask(
    { method: 'GET', key: client.keyOf(name), headers: { range } },
    { operation: 'read', object: name },
    (answer) => partOf(answer, offset, length),
    [behindEnd],
  );
}

function partOf(answer: S3Answer, offset: number, length: number): Uint8Array {
  const { status, headers, body } = answer;
  if (status === behindEnd) return new Uint8Array();
  if (status !== 206) return body.slice(offset, offset + length);
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '');
  if (match === null) throw new Error('the answer does not say which part of the object it is');
  const [from, to, total] = match.slice(1).map(Number) as [number, number, number];
  const end = Math.min(offset + length, total);
  if (from !== offset || to + 1 !== end || body.length !== end - offset) {
    throw new Error(`asked for bytes ${offset}-${offset + length - 1}, got ${match[0]}`);
  }
  return body;
}
