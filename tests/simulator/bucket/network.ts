/** The network between a process and its bucket: requests and answers get lost, come late, come twice, or are refused on the way. */

import type { S3Transport } from '../../../src/storage/object/s3/options.ts';
import type { Dice } from '../dice.ts';
import type { FaultKind, Faults } from '../faults.ts';
import type { Life } from '../life.ts';
import type { Scheduler } from '../scheduler.ts';
import { type BucketAnswer, type BucketObjects, type BucketRequest, plain } from './objects.ts';
import { countingOutages } from './outages.ts';

export interface NetworkParts {
  readonly bucket: BucketObjects;
  readonly life: Life;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly dice: Dice;
  readonly latencyMs: () => number;
  /** Told of each object that this process has made. */
  readonly created: (key: string, body: Uint8Array) => void;
}

/** Answers that a server or a proxy gives without touching an object. */
const refusals: readonly (readonly [FaultKind, number])[] = [
  ['409', 409],
  ['429', 429],
  ['500', 500],
  ['503', 503],
];
const noQuery = new URLSearchParams();
const noBody = new Uint8Array();
/** Longer than any request is waited for. */
const lateMs = 100_000;

export function transportOf(parts: NetworkParts): S3Transport {
  const transport: S3Transport = (url, init) =>
    new Promise((resolve) => {
      const request = requestOf(url, init);
      send(parts, request, (answer) => resolve(responseOf(answer)));
    });
  return countingOutages(transport, parts.life);
}

type Answered = (answer: BucketAnswer) => void;

/** `answered` is never called when nothing comes back: the client has its own patience. */
function send(parts: NetworkParts, request: BucketRequest, answered: Answered): void {
  const { scheduler, faults, dice, life, latencyMs } = parts;
  const name = `${request.method} ${request.key ?? ''}`;
  const changes = request.method !== 'GET' && request.method !== 'HEAD';
  const struck = (kind: FaultKind): boolean => {
    if (!faults.strikes(kind)) return false;
    life.faults++;
    return true;
  };
  const answer = (given: BucketAnswer): void => {
    if (struck('lost reply')) return;
    scheduler.after(latencyMs(), life, 'answer', () => answered(given));
  };
  const arrive = (): void => {
    if (struck('lost request')) return;
    const refusal = refusals.find(([kind]) => (kind !== '409' || changes) && struck(kind));
    if (refusal !== undefined) {
      answer(plain(refusal[1]));
      return;
    }
    if (changes && struck('late request')) {
      scheduler.after(lateMs * dice.unit(), undefined, name, () => void perform(parts, request));
      return;
    }
    const first = perform(parts, request);
    if (first === undefined) return;
    if (changes && struck('error after effect')) {
      answer(plain(500));
      return;
    }
    const isDoubled = changes && struck('duplicated request');
    // The sender hears of one of the two.
    const hearsFirst = !isDoubled || dice.chance(0.5);
    if (hearsFirst) answer(first);
    if (!isDoubled) return;
    scheduler.after(latencyMs() * 5, undefined, name, () => {
      const second = perform(parts, request);
      if (!hearsFirst && second !== undefined) answer(second);
    });
  };
  scheduler.after(latencyMs(), undefined, name, arrive);
}

/** Undefined when the process ends at this very moment. */
function perform(parts: NetworkParts, request: BucketRequest): BucketAnswer | undefined {
  const { bucket, dice, life, created } = parts;
  const changes = request.method !== 'GET' && request.method !== 'HEAD';
  const isLast = changes && life.isLastEffect();
  if (isLast && dice.chance(0.5)) {
    life.kill();
    return undefined;
  }
  const answer = bucket.answer(request);
  const { method, key, body } = request;
  if (method === 'PUT' && key !== undefined && answer.status === 200) created(key, body);
  if (isLast) life.kill();
  return method === 'GET' && key !== undefined ? misread(parts, key, answer) : answer;
}

/** What comes back is not what lies there. */
function misread(parts: NetworkParts, key: string, answer: BucketAnswer): BucketAnswer {
  const { faults, dice, life, bucket } = parts;
  const { body } = answer;
  if (body.length === 0) return answer;
  if (faults.strikes('flipped read')) {
    life.faults++;
    life.misreads++;
    const flipped = body.slice();
    const at = dice.below(flipped.length);
    flipped[at] = (flipped[at] as number) ^ (1 << dice.below(8));
    return { ...answer, body: flipped };
  }
  if (faults.strikes('short read')) {
    life.faults++;
    life.misreads++;
    return { ...answer, body: body.slice(0, dice.below(body.length)) };
  }
  if (!faults.strikes('misdirected read')) return answer;
  life.faults++;
  life.misreads++;
  const directory = key.slice(0, key.indexOf('/') + 1);
  const others = [...bucket.objects].filter(([name]) => name.startsWith(directory));
  const [, other] = others[dice.below(others.length)] ?? [key, body];
  const moved = new Uint8Array(body.length);
  moved.set(other.subarray(0, body.length));
  return { ...answer, body: moved };
}

function requestOf(url: string, init: RequestInit): BucketRequest {
  // Scheme, host and bucket have no question mark and no further slash.
  const [address, query] = url.split('?', 2) as [string, string?];
  const end = address.indexOf('/', address.indexOf('/', 'http://'.length) + 1);
  return {
    method: init.method ?? 'GET',
    key: end < 0 ? undefined : decodeURIComponent(address.slice(end + 1)),
    query: query === undefined ? noQuery : new URLSearchParams(query),
    headers: init.headers as Record<string, string>,
    body: init.body === undefined ? noBody : (init.body as Uint8Array).slice(),
  };
}

/** The part of a `Response` that the client looks at. */
function responseOf({ status, headers, body }: BucketAnswer): Response {
  const named = { get: (name: string) => headers[name] ?? null };
  const response = { status, headers: named, arrayBuffer: async () => body };
  return response as unknown as Response;
}
