/** Options of an S3 store. */

import type { World } from '#base';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** A file in the format of the AWS tools, and the section to read. */
export interface CredentialsFile {
  readonly path: string;
  readonly profile: string;
}

/** The used part of `fetch`. A test replaces it. */
export type S3Transport = (url: string, init: RequestInit) => Promise<Response>;

export interface S3Place {
  readonly bucket: string;
  /** Prefix of every name, separated from it by one `/`; empty for none. */
  readonly prefix: string;
  readonly region: string;
  /** Base URL, with path-style addresses; `undefined` for AWS itself. */
  readonly endpoint: string | undefined;
}

export interface S3Options extends S3Place {
  /** With a file, the credentials that it contained first. */
  readonly credentials: S3Credentials;
  /** Read again after each change, and after a refused request. */
  readonly credentialsFile?: CredentialsFile | undefined;
  readonly world: World;
  readonly transport?: S3Transport;
  /** Time limit of one request without its body. A body adds 1 s per MiB. */
  readonly requestTimeoutMs?: number;
  /** Attempts of a request that is read-only or idempotent, before it counts as failed. */
  readonly attemptsMax?: number;
}

/** The bucket and its credentials. */
export type BucketOptions = Omit<S3Options, 'world'>;

export const s3Defaults = { requestTimeoutMs: 5000, attemptsMax: 4 } as const;
