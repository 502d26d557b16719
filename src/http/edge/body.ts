/** Request bodies: media type, size, encoding; then nesting, JSON; in this order (docs/errors.md). */

import { type Pace, runSteps } from '#base';
import { DatabaseError, fail } from '#failure';
import { type ParsedJson, parseJsonSteps, parseShortJson, shortJsonLength } from '#value';
import type { Activity } from './activity.ts';
import { Arrival } from './arrival.ts';
import type { ArrivingBodies } from './arrivals.ts';
import type { BodyTurns } from './body-turns.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import type { Transport } from './transport.ts';

export interface BodyLimits {
  readonly bodyBytesMax: number;
  readonly depthMax: number;
}

/** Drops a leading byte order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true });

interface BodyReading {
  readonly limits: BodyLimits;
  readonly activity: Activity;
  readonly arrivals: ArrivingBodies;
  readonly bodyTurns: BodyTurns;
  readonly transport: Pick<Transport, 'askForBody'>;
}

/** The body as text, not parsed yet. */
export function readBody(
  request: Request,
  mediaType: string,
  reading: BodyReading,
): Promise<string> {
  checkMediaType(request.headers, mediaType);
  return readText(request, reading);
}

/** For a request that needs no body: one with a type of its own, as forms of web pages have, is refused all the same. */
export function checkMediaTypeIfGiven(headers: Headers, wanted: string): void {
  if (headers.has('content-type')) checkMediaType(headers, wanted);
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

async function readText(request: Request, reading: BodyReading) {
  const { limits, activity, arrivals, bodyTurns, transport } = reading;
  const declared = request.headers.get('content-length');
  const declaredBytes = declared === null ? undefined : Number(declared);
  const refusal = () => tooLarge(limits.bodyBytesMax);
  if (declaredBytes !== undefined && declaredBytes > limits.bodyBytesMax) throw refusal();
  transport.askForBody(request);
  activity.leave();
  let arrived: Uint8Array | Arrival;
  try {
    arrived = await arrivals.read(request, declaredBytes, refusal);
  } catch (error) {
    // The connection ended; nobody is there to read the answer.
    throw error instanceof DatabaseError ? error : violation(400, 'the body broke off', error);
  } finally {
    activity.enter();
  }
  const turn = bodyTurns.of(arrived);
  if (turn !== undefined) await turn;
  try {
    return decoder.decode(arrived instanceof Arrival ? arrived.bytes() : arrived);
  } catch (cause) {
    throw violation(400, 'the body is not valid UTF-8', cause);
  }
}

interface BodyParsing {
  readonly limits: Pick<BodyLimits, 'depthMax'>;
  /** Of long texts: many half-made documents would be in memory together, and each collection would look at all of them. */
  readonly parsing: OneAtATime;
}

/**
 * Text to JSON with exact integers. A long text is parsed in pieces, between which other work has its turn as `pace` demands. `rowsDepth`: where its
 * rows stay text (`parseJsonSteps`).
 */
export function parseBody(
  { limits, parsing }: BodyParsing,
  text: string,
  pace: Pace,
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
  throw violation(400, `the body cannot be used: ${parsed.detail}`);
}

function tooLarge(bytesMax: number): DatabaseError {
  return violation(413, `the body is larger than ${bytesMax} bytes`);
}

function violation(status: number, detail: string, cause?: unknown): DatabaseError {
  return fail('schema_violation', detail, { status, location: { pointer: '/body' }, cause });
}
