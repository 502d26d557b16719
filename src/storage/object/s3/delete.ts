/** Deletion of many objects with few requests. */

import { StorageError } from '../storage-fault.ts';
import type { S3Client } from './client.ts';
import type { S3Answer } from './exchange.ts';
import { RequestBody } from './request-body.ts';
import { elementsOf, escapeXml, isWhole, textOf } from './xml.ts';

/** Maximum number of names in one request. */
const namesMax = 1000;

/** Concurrent requests, if the server cannot delete several objects in one request. */
const parallelMax = 16;

/** Status codes of a server that does not support the request. */
const unknownRequest: readonly number[] = [405, 501];

export async function deleteObjects(client: S3Client, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += namesMax) {
    const some = names.slice(at, at + namesMax);
    if (some.length === 1 || !(await deleteTogether(client, some)))
      await deleteSingly(client, some);
  }
}

/** Returns false if the server does not support the request. */
async function deleteTogether(client: S3Client, names: readonly string[]): Promise<boolean> {
  const purpose = { operation: 'delete', object: `${names.length} objects from ${names[0]} on` };
  const body = requestBody(names.map((name) => client.keyOf(name)));
  const md5 = new Bun.CryptoHasher('md5').update(body).digest('base64');
  const request = {
    method: 'POST',
    query: { delete: '' },
    headers: { 'content-md5': md5 },
    body: new RequestBody(body),
  } as const;
  const result = await client.ask(request, purpose, readResult, unknownRequest);
  if (result === undefined) {
    throw new StorageError({ kind: 'bucket_missing', bucket: client.bucket });
  }
  if (result.denied === undefined) return result.isKnown;
  throw new StorageError({ kind: 'unauthorized', ...purpose }, new Error(result.denied));
}

async function deleteSingly(client: S3Client, names: readonly string[]): Promise<void> {
  const waiting = names.values();
  const worker = async (): Promise<void> => {
    for (const name of waiting) {
      const purpose = { operation: 'delete', object: name };
      await client.ask({ method: 'DELETE', key: client.keyOf(name) }, purpose, () => true);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallelMax, names.length) }, worker));
}

function requestBody(keys: readonly string[]): Uint8Array {
  const objects = keys.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`);
  return Buffer.from(`<Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`);
}

interface Result {
  readonly isKnown: boolean;
  readonly denied: string | undefined;
}

/**
 * Reads the response, whose status is 200 even if some objects were not deleted. If access was
 * denied, the result contains the reason. After any other error it throws, so that the whole
 * request is repeated. Objects that do not exist count as deleted.
 */
function readResult({ status, body }: S3Answer): Result {
  if (unknownRequest.includes(status)) return { isKnown: false, denied: undefined };
  const xml = new TextDecoder().decode(body);
  const isEmpty = /<DeleteResult[^>]*\/>\s*$/.test(xml);
  if (!isEmpty && !isWhole(xml, 'DeleteResult')) {
    throw new Error('the response is not a complete DeleteResult');
  }
  for (const error of elementsOf(xml, 'Error')) {
    const code = textOf(error, 'Code') ?? '';
    const said = `${textOf(error, 'Key') ?? ''}: ${code} ${textOf(error, 'Message') ?? ''}`;
    if (code === 'AccessDenied') return { isKnown: true, denied: said };
    if (code !== 'NoSuchKey') throw new Error(said);
  }
  return { isKnown: true, denied: undefined };
}
