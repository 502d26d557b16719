/** The network address of a bucket and its objects. */

import type { S3Place } from './options.ts';

export interface S3Address {
  /** `https://host:port` */
  readonly origin: string;
  readonly host: string;
  /** Percent-encoded path of the bucket, without a trailing slash. */
  readonly bucketPath: string;
  /** Prefix of the names of objects: empty, or a path with a trailing slash. */
  readonly keyPrefix: string;
}

export function addressOf({ bucket, prefix, region, endpoint }: S3Place): S3Address {
  const trimmed = prefix.replace(/^\/+|\/+$/g, '');
  const keyPrefix = trimmed === '' ? '' : `${trimmed}/`;
  // A certificate for *.s3.amazonaws.com does not cover a bucket with dots in its name.
  const isHosted = endpoint === undefined && !bucket.includes('.');
  const hosted = `https://${bucket}.s3.${region}.amazonaws.com`;
  const url = new URL(isHosted ? hosted : (endpoint ?? `https://s3.${region}.amazonaws.com`));
  const basePath = url.pathname.replace(/\/+$/, '');
  const bucketPath = isHosted ? basePath : `${basePath}/${encodePart(bucket)}`;
  return { origin: url.origin, host: url.host, bucketPath, keyPrefix };
}

/** Returns the path of an object; the path of the bucket if the key is `undefined`. */
export function pathOf({ bucketPath }: S3Address, key: string | undefined): string {
  if (key === undefined) return bucketPath === '' ? '/' : bucketPath;
  return `${bucketPath}/${key.split('/').map(encodePart).join('/')}`;
}

const unreserved = /^[\w.~-]*$/;

/** Encodes everything but the unreserved characters of RFC 3986, as signing requires. */
function encodePart(text: string): string {
  if (unreserved.test(text)) return text;
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encodes a query in the order that signing requires. */
export function encodeQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`)
    .sort()
    .join('&');
}
