/**
 * Reads request bodies. Checks the media type, size and encoding, then the nesting and the JSON, in this order
 * (docs/errors.md).
 */

import { runSteps, type YieldPolicy } from '#base';
import { type DatabaseError, fail } from '#failure';
import { type ParsedJson, parseJsonSteps, parseShortJson, shortJsonLength } from '#value';
import type { BodyTurns } from './body-turns.ts';
import { type IncomingBodies, smallBytesMax } from './incoming-bodies.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import type { Transport } from './transport.ts';

export interface BodyLimits {
  readonly bodyBytesMax: number;
  readonly depthMax: number;
}

/** Removes a leading byte order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true });

interface BodyReading {
  readonly limits: BodyLimits;
  readonly arrivals: IncomingBodies;
  readonly bodyTurns: BodyTurns;
  readonly transport: Pick<Transport, 'askForBody'>;
}

/** Returns the body as unparsed text. */
export function readBody(
  request: Request,
  mediaType: string,
  reading: BodyReading,
): Promise<string> {
  checkMediaType(request.headers, mediaType);
  return readText(request, reading);
}

/**
 * Checks the media type of a request that needs no body. A request with another type, such as the form of a web page, is
 * refused nevertheless.
 */
export function checkMediaTypeIfGiven(headers: Headers, wanted: string): void {
  if (headers.has('content-type')) checkMediaType(headers, wanted);
}

function checkMediaType(headers: Headers, wanted: string): void {
  const given = headers.get('content-type');
  const isWanted = given === wanted || given?.split(';', 1)[0]?.trim().toLowerCase() === wanted;
  if (!isWanted) {
    const found = given === null ? '; the request has no content type' : `, not ${given}`;
    throw violation(415, `the content type must be ${wanted}${found}`);
  }
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    throw violation(
      415,
      `content encoding ${encoding} is not supported; send the body without an encoding`,
    );
  }
}

function readText(request: Request, reading: BodyReading): Promise<string> {
  const { limits, arrivals, transport } = reading;
  const declared = request.headers.get('content-length');
  const declaredBytes = declared === null ? undefined : Number(declared);
  if (declaredBytes !== undefined && declaredBytes > limits.bodyBytesMax) {
    throw tooLarge(limits.bodyBytesMax);
  }
  transport.askForBody(request);
  return declaredBytes !== undefined && declaredBytes <= smallBytesMax
    ? arrivals.readSmall(request, declaredBytes, textOf)
    : readLarge(request, declaredBytes, reading);
}

async function readLarge(
  request: Request,
  declaredBytes: number | undefined,
  { limits, arrivals, bodyTurns }: BodyReading,
): Promise<string> {
  const refusal = () => tooLarge(limits.bodyBytesMax);
  const arrived = await arrivals.readLarge(request, declaredBytes, refusal);
  const turn = bodyTurns.of(arrived);
  if (turn !== undefined) await turn;
  return textOf(arrived.bytes());
}

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw violation(400, 'the body is not valid UTF-8', cause);
  }
}

interface BodyParsing {
  readonly limits: Pick<BodyLimits, 'depthMax'>;
  /**
   * Serializes the parsing of long texts. Otherwise many partial documents would be in memory at once, and each garbage
   * collection would visit all of them.
   */
  readonly parsing: OneAtATime;
}

/**
 * Parses text as JSON with exact integers. A long text is parsed in pieces, and yields to other work as `pace` requires.
 * `rowsDepth` is the depth at which rows stay text (`parseJsonSteps`).
 */
export function parseBody(
  { limits, parsing }: BodyParsing,
  text: string,
  pace: YieldPolicy,
  rowsDepth?: number,
): unknown | Promise<unknown> {
  const { depthMax } = limits;
  if (text === '') throw violation(400, 'request body is required');
  if (text.length <= shortJsonLength) return jsonOf(parseShortJson(text, depthMax));
  return parsing
    .run(() => runSteps(parseJsonSteps(text, depthMax, pace, rowsDepth), pace), pace)
    .then(jsonOf);
}

function jsonOf(parsed: ParsedJson): unknown {
  if (parsed.kind === 'parsed') return parsed.value;
  throw violation(400, `invalid request body: ${parsed.detail}`);
}

function tooLarge(bytesMax: number): DatabaseError {
  return violation(413, `the request body exceeds ${bytesMax} bytes`);
}

function violation(status: number, detail: string, cause?: unknown): DatabaseError {
  return fail('schema_violation', detail, { status, location: { pointer: '/body' }, cause });
}
