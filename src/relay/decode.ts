/** Decodes a batch from another process. Every member is validated and has a limit. */

import {
  type ExecutionSample,
  isDocument,
  type Observation,
  type ToldAppearance,
  type ToldFamily,
  type ToldProgram,
  toldAppearancesMax,
  toldExecutionsMax,
  toldFamiliesMax,
  toldPartsMax,
  workMembers,
} from '#statistics';
import { corpusDocumentBytesMax, formatVersion, type RelayBatch } from './relay-batch.ts';

const nameMax = 256;
/** Maximum length of a text with the IDs of the tables and columns that a plan reads, in characters. */
const textMax = 1 << 20;
const numberMax = Number.MAX_SAFE_INTEGER;

interface Refused {
  readonly reason: 'malformed_batch' | 'format_mismatch' | 'corpus_document_too_large';
  readonly detail: string;
}

type Members = Readonly<Record<string, unknown>>;

class Malformed extends Error {}

/** Decodes `text`, which may be malformed. */
export function decodeBatch(text: string): RelayBatch | Refused {
  try {
    return batchOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return malformed('the body is not valid JSON');
    if (error instanceof Malformed) return malformed(error.message);
    throw error;
  }
}

function batchOf(json: unknown): RelayBatch | Refused {
  const batch = members(json, '');
  if (batch['format'] !== formatVersion) {
    if (typeof batch['format'] !== 'number') throw new Malformed('/format is not a number');
    const detail = `/format: this process accepts only batches of format ${formatVersion}, got ${batch['format']}`;
    return { reason: 'format_mismatch', detail };
  }
  const source = {
    instance: text(batch, 'instance', '', nameMax),
    boot: text(batch, 'boot', '', nameMax),
    sequence: count(batch['sequence'], '/sequence'),
    sentAtMicros: count(batch['sentAtMicros'], '/sentAtMicros'),
  };
  if (source.sequence < 1) throw new Malformed('/sequence is less than 1');
  let left = toldExecutionsMax;
  const families = list(batch, 'families', '', toldFamiliesMax).map((one, i): ToldFamily => {
    const family = familyOf(one, `/families/${i}`, left);
    left -= family.executions.length;
    return family;
  });
  const frequency = list(batch, 'frequency', '', toldAppearancesMax).map((one, i) =>
    appearanceOf(one, `/frequency/${i}`),
  );
  const documents = list(batch, 'corpus', '', toldExecutionsMax);
  const large = documents.findIndex(isTooLarge);
  if (large >= 0) {
    const detail = `/corpus/${large}/document has more than ${corpusDocumentBytesMax} bytes`;
    return { reason: 'corpus_document_too_large', detail };
  }
  const corpus = documents.map((one, i) => programOf(one, `/corpus/${i}`));
  return { ...source, families, frequency, corpus };
}

function isTooLarge(json: unknown): boolean {
  const document = (json as Members | null)?.['document'];
  return typeof document === 'string' && Buffer.byteLength(document) > corpusDocumentBytesMax;
}

function programOf(json: unknown, at: string): ToldProgram {
  const program = members(json, at);
  const document = text(program, 'document', at, corpusDocumentBytesMax);
  if (!isDocument(document)) throw new Malformed(`${at}/document is not a JSON object`);
  return { document, executions: count(program['executions'], `${at}/executions`) };
}

function familyOf(json: unknown, at: string, executionsMax: number): ToldFamily {
  const family = members(json, at);
  const executions = list(family, 'executions', at, executionsMax);
  return {
    family: text(family, 'family', at, nameMax),
    ground: text(family, 'ground', at, textMax),
    stamp: text(family, 'stamp', at, textMax),
    plan: text(family, 'plan', at, nameMax),
    executions: executions.map((one, i) => executionOf(one, `${at}/executions/${i}`)),
  };
}

function executionOf(json: unknown, at: string): ExecutionSample {
  const execution = members(json, at);
  const { micros, work } = execution;
  const observations = list(execution, 'observations', at, toldPartsMax);
  return {
    rows: count(execution['rows'], `${at}/rows`),
    micros: micros === undefined ? undefined : amount(micros, `${at}/micros`),
    variant: count(execution['variant'], `${at}/variant`),
    observations: observations.map((one, i) => observationOf(one, `${at}/observations/${i}`)),
    work: work === undefined ? undefined : workOf(members(work, `${at}/work`), `${at}/work`),
  };
}

function observationOf(json: unknown, at: string): Observation {
  if (!Array.isArray(json) || json.length !== 4) {
    throw new Malformed(`${at} is not [part, estimated, actual, isCut]`);
  }
  const [part, estimated, actual, isCut] = json as readonly unknown[];
  if (typeof part !== 'string' || part.length > textMax)
    throw new Malformed(`${at}/0 is not a string of at most ${textMax} characters`);
  if (typeof isCut !== 'boolean') throw new Malformed(`${at}/3 is not a boolean`);
  return { part, estimated: amount(estimated, `${at}/1`), actual: count(actual, `${at}/2`), isCut };
}

function workOf(work: Members, at: string): NonNullable<ExecutionSample['work']> {
  const entries = workMembers.map((member) => [member, count(work[member], `${at}/${member}`)]);
  return Object.fromEntries(entries) as NonNullable<ExecutionSample['work']>;
}

function appearanceOf(json: unknown, at: string): ToldAppearance {
  const appearance = members(json, at);
  return {
    family: text(appearance, 'family', at, nameMax),
    rows: count(appearance['rows'], `${at}/rows`),
    count: Math.min(0xffff_ffff, count(appearance['count'], `${at}/count`)),
  };
}

function malformed(detail: string): Refused {
  return { reason: 'malformed_batch', detail };
}

function members(json: unknown, at: string): Members {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Members;
  throw new Malformed(`${at === '' ? 'the body' : at} is not an object`);
}

function list(of: Members, name: string, at: string, max: number): readonly unknown[] {
  const found = of[name];
  if (!Array.isArray(found)) throw new Malformed(`${at}/${name} is not a list`);
  if (found.length > max)
    throw new Malformed(`${at}/${name} has ${found.length} elements; the limit is ${max}`);
  return found;
}

function text(of: Members, name: string, at: string, max: number): string {
  const found = of[name];
  if (typeof found === 'string' && found.length <= max) return found;
  throw new Malformed(`${at}/${name} is not a string of at most ${max} characters`);
}

/** Returns a value that is an integer of at least 0, and throws otherwise. */
function count(value: unknown, at: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Malformed(`${at} is not an integer from 0 to ${numberMax}`);
}

function amount(value: unknown, at: string): number {
  if (typeof value === 'number' && value >= 0 && value <= numberMax) return value;
  throw new Malformed(`${at} is not a number from 0 to ${numberMax}`);
}
