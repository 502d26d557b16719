/**
 * Objects in a bucket.
 *
 * An idempotent request is repeated a few times, with pauses, before it counts as `unavailable`.
 * Creation differs: see `create.ts`.
 */

import { StorageError } from '../storage-fault.ts';
import type { Body, ObjectHead, ObjectStore } from '../store.ts';
import { type S3Client, s3Client } from './client.ts';
import { createObject } from './create.ts';
import { deleteObjects } from './delete.ts';
import { listObjects } from './list.ts';
import type { S3Options } from './options.ts';
import { readRange } from './range.ts';
import { RequestBody } from './request-body.ts';

export function s3Store(options: S3Options): ObjectStore {
  const client = s3Client(options);
  return {
    get: (name) => get(client, name),
    getRange: (name, offset, length) => getRange(client, name, offset, length),
    head: (name) => head(client, name),
    put: (name, body) => put(client, name, body),
    putIfAbsent: (name, body) => createObject(client, name, body),
    list: (prefix, after = '') => listObjects(client, prefix, after),
    delete: (names) => deleteObjects(client, names),
    openRead: (name, bytes) => openRead(client, name, bytes),
  };
}

function get(client: S3Client, name: string): Promise<Uint8Array | undefined> {
  return client.ask(
    { method: 'GET', key: client.keyOf(name) },
    { operation: 'read', object: name },
    ({ body }) => body,
  );
}

async function getRange(
  client: S3Client,
  name: string,
  offset: number,
  length: number,
): Promise<Uint8Array | undefined> {
  if (length > 0) return readRange(client, name, offset, length);
  return (await head(client, name)) && new Uint8Array();
}

function head(client: S3Client, name: string): Promise<ObjectHead | undefined> {
  return client.ask(
    { method: 'HEAD', key: client.keyOf(name) },
    { operation: 'stat', object: name },
    ({ headers }) => {
      const bytes = headers.get('content-length');
      if (bytes === null) throw new Error('the response has no content-length header');
      return { name, bytes: Number(bytes) };
    },
  );
}

async function put(client: S3Client, name: string, body: Body): Promise<void> {
  const purpose = { operation: 'write', object: name };
  const request = {
    method: 'PUT',
    key: client.keyOf(name),
    body: new RequestBody(body),
  } as const;
  const written = await client.ask(request, purpose, () => true);
  if (written === undefined) throw new StorageError({ kind: 'io', ...purpose });
}

async function openRead(client: S3Client, name: string, bytes: number | undefined) {
  const found = bytes === undefined ? await head(client, name) : { name, bytes };
  if (found === undefined) throw new StorageError({ kind: 'missing', object: name });
  return {
    ...found,
    async readInto(offset: number, target: Uint8Array) {
      const count = Math.max(0, Math.min(target.length, found.bytes - offset));
      if (count === 0) return 0;
      const read = await readRange(client, name, offset, count);
      if (read === undefined) throw new StorageError({ kind: 'missing', object: name });
      target.set(read);
      return read.length;
    },
    remote: { isLocal: () => false, partBytes: undefined },
    close: () => {},
  };
}
