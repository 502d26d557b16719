/** Classification of the responses of the server. */

import { StorageError } from '../storage-fault.ts';
import type { S3Answer, S3Silence } from './exchange.ts';
import { textOf } from './xml.ts';

/**
 * `absent`: the object does not exist. `refused`: a retry cannot succeed. `throttled` and
 * `failing`: a retry after a pause may succeed. A `failing` request, or one without a response, may
 * still have taken effect.
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

/** Returns the error code; empty if the response has none, as for HEAD. */
function errorCode({ body }: S3Answer): string {
  return textOf(new TextDecoder().decode(body), 'Code') ?? '';
}

interface Subject {
  readonly operation: string;
  /** Name of the object, or its description in a message. */
  readonly object: string;
  readonly bucket: string;
  /** `https://host:port` of the server. */
  readonly origin: string;
}

/** Returns the error for an outcome that is not `done`. */
export function faultOf(
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
  // For a bucket in another region, the server sends a redirect, or an error about the
  // authorization header.
  const isElsewhere = region !== undefined && (status === 400 || (status >= 300 && status < 400));
  return isElsewhere ? `${parts} (the bucket is in region ${region})` : parts;
}
