/**
 * AWS Signature Version 4, in headers. The signature covers everything that determines the request:
 * its conditions, its range and the hash of its body. The server therefore refuses a body that was
 * damaged in transit.
 */

import type { S3Credentials } from './options.ts';

interface Signable {
  readonly method: string;
  readonly host: string;
  /** Percent-encoded path. */
  readonly path: string;
  /** Percent-encoded and sorted. */
  readonly query: string;
  /** All headers are signed. Their names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hex. */
  readonly bodyHash: string;
}

type Sign = (request: Signable, unixMs: number) => Record<string, string>;

/** Returns a function that returns the headers to send. */
export function signer(credentials: S3Credentials, region: string): Sign {
  let key: { readonly day: string; readonly bytes: Buffer } | undefined;
  return (request, unixMs) => {
    const time = new Date(unixMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = time.slice(0, 8);
    if (key?.day !== day) key = { day, bytes: signingKey(credentials, day, region) };
    const headers: Record<string, string> = {
      ...request.headers,
      host: request.host,
      'x-amz-content-sha256': request.bodyHash,
      'x-amz-date': time,
    };
    const { sessionToken } = credentials;
    if (sessionToken !== undefined) headers['x-amz-security-token'] = sessionToken;
    const names = Object.keys(headers).sort();
    const canonical = [
      request.method,
      request.path,
      request.query,
      ...names.map((name) => `${name}:${(headers[name] as string).trim()}`),
      '',
      names.join(';'),
      request.bodyHash,
    ].join('\n');
    const scope = `${day}/${region}/s3/aws4_request`;
    const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
    headers['authorization'] =
      `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, ` +
      `SignedHeaders=${names.join(';')}, Signature=${hmac(key.bytes, text).toString('hex')}`;
    return headers;
  };
}

function signingKey({ secretAccessKey }: S3Credentials, day: string, region: string): Buffer {
  const ofDay = hmac(`AWS4${secretAccessKey}`, day);
  return hmac(hmac(hmac(ofDay, region), 's3'), 'aws4_request');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return new Bun.CryptoHasher('sha256', key).update(text).digest();
}

function sha256(content: string): string {
  return Bun.SHA256.hash(content, 'hex');
}
