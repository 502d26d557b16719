/** Deleting many objects with few requests. */

import { StorageError } from '../trouble.ts';
import type { S3Client } from './client.ts';
import type { S3Answer } from './exchange.ts';
import { elementsOf, escapeXml, isWhole, textOf } from './xml.ts';

/** What one request may name. */
const namesMax = 1000;

export async function deleteObjects(client: S3Client, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += namesMax) {
    await deleteSome(client, names.slice(at, at + namesMax));
  }
}

async function deleteSome(client: S3Client, names: readonly string[]): Promise<void> {
  const [first] = names;
  if (first === undefined) return;
  const operation = 'delete';
  if (names.length === 1) {
    const request = { method: 'DELETE', key: client.keyOf(first) } as const;
    await client.ask(request, { operation, object: first }, () => true);
    return;
  }
  const purpose = { operation, object: `${names.length} objects from ${first} on` };
  const body = requestBody(names.map((name) => client.keyOf(name)));
  const md5 = new Bun.CryptoHasher('md5').update(body).digest('base64');
  const answered = await client.ask(
    { method: 'POST', query: { delete: '' }, headers: { 'content-md5': md5 }, body },
    purpose,
    checkResult,
  );
  if (answered === undefined) {
    throw new StorageError({ kind: 'bucket_missing', bucket: client.bucket });
  }
  if (answered.denied !== undefined) {
    throw new StorageError({ kind: 'unauthorized', ...purpose }, new Error(answered.denied));
  }
}

function requestBody(keys: readonly string[]): Uint8Array {
  const objects = keys.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`);
  return Buffer.from(`<Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`);
}

/** The answer is 200 also when some were not deleted: those come again with the whole request. */
function checkResult({ body }: S3Answer): { readonly denied: string | undefined } {
  const xml = new TextDecoder().decode(body);
  const isEmpty = /<DeleteResult[^>]*\/>\s*$/.test(xml);
  if (!isEmpty && !isWhole(xml, 'DeleteResult')) {
    throw new Error('the answer is no whole DeleteResult');
  }
  for (const error of elementsOf(xml, 'Error')) {
    const code = textOf(error, 'Code') ?? '';
    const said = `${textOf(error, 'Key') ?? ''}: ${code} ${textOf(error, 'Message') ?? ''}`;
    if (code === 'AccessDenied') return { denied: said };
    if (code !== 'NoSuchKey') throw new Error(said);
  }
  return { denied: undefined };
}
