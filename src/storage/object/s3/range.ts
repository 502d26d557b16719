/**
 * Reads a part of an object. The response is compared with the request, because a server may ignore
 * a range or clip it.
 */

import type { S3Client } from './client.ts';
import type { S3Answer } from './exchange.ts';

/** HTTP status for a range that begins at or after the end of the object. */
const behindEnd = 416;

/**
 * Reads `length` bytes, which must be above 0, clipped at the end of the object. Returns
 * `undefined` if the object does not exist.
 */
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
  if (match === null) throw new Error('the response has no valid content-range header');
  const [from, to, total] = match.slice(1).map(Number) as [number, number, number];
  const end = Math.min(offset + length, total);
  if (from !== offset || to + 1 !== end || body.length !== end - offset) {
    throw new Error(`asked for bytes ${offset}-${offset + length - 1}, got ${match[0]}`);
  }
  return body;
}
