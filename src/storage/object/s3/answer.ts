/** What an answer of the server means. */

import { StorageError } from '../trouble.ts';
import type { S3Answer, S3Silence } from './exchange.ts';
import { textOf } from './xml.ts';

/**
 * `absent`: there is no such object. `refused`: sending it again will not help. `throttled` and `failing`: it may help, after a pause;
 * a `failing` or silent request may have had its effect nevertheless.
 */
type Meaning = 'done' | 'absent' | 'refused' | 'throttled' | 'failing';

export function meaningOf(outcome: S3Answer | S3Silence): Meaning {
  if (outcome.kind === 'silence') return 'failing';
  const { status } = outcome;
  if (status >= 200 && status < 300) return 'done';
  if (status === 404 && errorCode(outcome) !== 'NoSuchBucket') return 'absent';
  if (status === 429 || status === 503 || status === 409) return 'throttled';
  if (status === 501) return 'refused';
  if (status >= 500 || status === 408 || errorCode(outcome) === 'RequestTimeout') return 'failing';
  return 'refused';
}

/** Empty when the server says none, as for HEAD. */
function errorCode({ body }: S3Answer): string {
  return textOf(new TextDecoder().decode(body), 'Code') ?? '';
}

interface Subject {
  readonly operation: string;
  /** Name of the object, or what stands for it in a message. */
  readonly object: string;
  readonly bucket: string;
  /** `https://host:port` of the server. */
  readonly origin: string;
}

/** The error for an outcome that is not `done`. */
export function troubleOf(
  outcome: S3Answer | S3Silence,
  { operation, object, bucket, origin }: Subject,
): StorageError {
  if (outcome.kind === 'silence') {
    return new StorageError({ kind: 'unavailable', operation, object, at: origin }, outcome.error);
  }
  const code = errorCode(outcome);
  const cause = new Error(describe(outcome, code));
  const { status } = outcome;
  if (code === 'NoSuchBucket') return new StorageError({ kind: 'bucket_missing', bucket }, cause);
  if (status === 401 || status === 403) {
    return new StorageError({ kind: 'unauthorized', operation, object }, cause);
  }
  const mayPass = ['throttled', 'failing'].includes(meaningOf(outcome));
  const kind = mayPass ? 'unavailable' : 'io';
  return new StorageError({ kind, operation, object }, cause);
}

function describe({ status, headers, body }: S3Answer, code: string): string {
  const text = new TextDecoder().decode(body);
  const message = textOf(text, 'Message') ?? '';
  const region = headers.get('x-amz-bucket-region') ?? textOf(text, 'Region');
  const parts = [`HTTP ${status}`, code, message].filter((part) => part !== '').join(' ');
  // A bucket elsewhere is answered with a redirect, or with a malformed authorization header.
  const isElsewhere = region !== undefined && (status === 400 || (status >= 300 && status < 400));
  return isElsewhere ? `${parts} (the bucket is in region ${region})` : parts;
}
