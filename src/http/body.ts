/** Request bodies: media type, size, encoding, nesting, JSON; in this order (problems.md §7). */

import { fail } from '#failure';
import { parseJson } from '#value';

export interface BodyLimits {
  readonly bodyBytesMax: number;
  readonly depthMax: number;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The body as JSON with exact integers. */
export async function readJson(
  request: Request,
  mediaType: string,
  limits: BodyLimits,
): Promise<unknown> {
  return parseBody(await readBody(request, mediaType, limits), limits.depthMax);
}

/** The body as text, not parsed yet. */
export function readBody(request: Request, mediaType: string, limits: BodyLimits): Promise<string> {
  checkMediaType(request.headers, mediaType);
  return readText(request, limits.bodyBytesMax);
}

function checkMediaType(headers: Headers, wanted: string): void {
  const given = headers.get('content-type');
  const isWanted = given === wanted || given?.split(';', 1)[0]?.trim().toLowerCase() === wanted;
  if (!isWanted) {
    const found = given === null ? 'the request has no content type' : `not ${given}`;
    throw violation(415, `the content type must be ${wanted}; ${found}`);
  }
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    throw violation(415, `content encoding ${encoding} is not accepted: send the body as it is`);
  }
}

async function readText(request: Request, bytesMax: number): Promise<string> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  const bytes = Number.isNaN(declared)
    ? await readBounded(request, bytesMax)
    : await request.bytes();
  if (bytes.length === 0) throw violation(400, 'request body is required');
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw violation(400, 'the body is not valid UTF-8', cause);
  }
}

/** Reads a body of unknown length, and stops as soon as it is too long. */
async function readBounded(request: Request, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of request.body ?? []) {
    total += chunk.length;
    if (total > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function parseBody(text: string, depthMax: number): unknown {
  const parsed = parseJson(text, depthMax);
  if (parsed.kind === 'parsed') return parsed.value;
  throw violation(400, `the body cannot be used: ${parsed.detail}`);
}

function tooLarge(bytesMax: number): Error {
  return violation(413, `the body is larger than ${bytesMax} bytes`);
}

function violation(status: number, detail: string, cause?: unknown): Error {
  return fail('schema_violation', detail, { status, location: { pointer: '/body' }, cause });
}
