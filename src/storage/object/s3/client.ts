/** Requests to one bucket, with retries and pauses while a retry may succeed. */

import { StorageError } from '../storage-fault.ts';
import { addressOf } from './address.ts';
import { faultOf, meaningOf } from './answer.ts';
import {
  type Exchange,
  exchangeWith,
  type S3Answer,
  type S3Request,
  type S3Silence,
} from './exchange.ts';
import { type S3Options, s3Defaults } from './options.ts';
import { pauseBefore } from './pauses.ts';

/** Description of a request for errors: an operation on an object, by its name in the store. */
interface Purpose {
  readonly operation: string;
  readonly object: string;
}

export interface S3Client {
  readonly bucket: string;
  readonly attemptsMax: number;
  /** Returns the key in the bucket of an object of the store. */
  keyOf(name: string): string;
  /** Sends a request once. */
  readonly exchange: Exchange;
  /**
   * Sends a request that may be repeated; returns `undefined` if the object does not exist. `read`
   * receives successful responses, and responses whose status is in `wanted`. If it throws an error
   * other than a StorageError, the response counts as missing, and the request is repeated.
   */
  ask<T>(
    request: S3Request,
    purpose: Purpose,
    read: (answer: S3Answer) => T,
    wanted?: readonly number[],
  ): Promise<T | undefined>;
  /** Waits before the next attempt, after `attempt` attempts. */
  pause(attempt: number, outcome: S3Answer | S3Silence): Promise<void>;
  storageErrorOf(outcome: S3Answer | S3Silence, purpose: Purpose): StorageError;
}

export function s3Client(options: S3Options): S3Client {
  const address = addressOf(options);
  const exchange = exchangeWith(options, address);
  const { bucket, world, attemptsMax = s3Defaults.attemptsMax } = options;
  const pause: S3Client['pause'] = (attempt, outcome) => pauseBefore(world, attempt, outcome);
  const storageErrorOf: S3Client['storageErrorOf'] = (outcome, purpose) =>
    faultOf(outcome, { ...purpose, bucket, origin: address.origin });
  return {
    bucket,
    attemptsMax,
    exchange,
    pause,
    storageErrorOf,
    keyOf: (name) => address.keyPrefix + name,
    async ask(request, purpose, read, wanted = []) {
      for (let attempt = 1; ; attempt++) {
        let outcome = await exchange(request);
        const isDone = meaningOf(outcome) === 'done';
        if (outcome.kind === 'answer' && (isDone || wanted.includes(outcome.status))) {
          const value = readBy(read, outcome);
          if (!(value instanceof Misread)) return value;
          outcome = { kind: 'silence', error: value.error };
        }
        const meaning = meaningOf(outcome);
        if (meaning === 'absent') return undefined;
        if (meaning === 'refused' || attempt >= attemptsMax) throw storageErrorOf(outcome, purpose);
        await pause(attempt, outcome);
      }
    },
  };
}

class Misread {
  readonly error: Error;

  constructor(error: Error) {
    this.error = error;
  }
}

function readBy<T>(read: (answer: S3Answer) => T, answer: S3Answer): T | Misread {
  try {
    return read(answer);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    return new Misread(error instanceof Error ? error : new Error(String(error)));
  }
}
