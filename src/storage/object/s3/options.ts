/** What an S3 store is opened with. */

import type { World } from '#base';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The part of `fetch` that is used; a test puts its own in. */
export type Transport = (url: string, init: RequestInit) => Promise<Response>;

export interface S3Place {
  readonly bucket: string;
  /** Put in front of every name, with one `/` between; empty for none. */
  readonly prefix: string;
  readonly region: string;
  /** Base URL, addressed path-style; undefined for AWS itself. */
  readonly endpoint: string | undefined;
}

export interface S3Options extends S3Place {
  readonly credentials: S3Credentials;
  readonly world: World;
  readonly transport?: Transport;
  /** For one request without its body; a body may take another second for each MiB. */
  readonly requestTimeoutMs?: number;
  /** How often a request that changes nothing, or the same every time, is sent before it counts as failed. */
  readonly attemptsMax?: number;
}

/** Which bucket, and as whom. */
export type BucketOptions = Omit<S3Options, 'world'>;

export const s3Defaults = { requestTimeoutMs: 5000, attemptsMax: 4 } as const;
