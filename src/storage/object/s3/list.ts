/** Lists objects page by page. */

import { StorageError } from '../storage-fault.ts';
import type { ObjectHead } from '../store.ts';
import type { S3Client } from './client.ts';
import type { S3Answer } from './exchange.ts';
import { elementsOf, isWhole, textOf } from './xml.ts';

/**
 * A page may be empty without being the last one, for example after many deletions. A server that
 * sends more consecutive empty pages than this is unsuitable.
 */
const emptyPagesMax = 1000;

interface Page {
  readonly objects: readonly { readonly key: string; readonly bytes: number }[];
  /** Start of the next page; `undefined` after the last page. */
  readonly next: string | undefined;
}

export async function listObjects(
  client: S3Client,
  prefix: string,
  after: string,
): Promise<readonly ObjectHead[]> {
  const found: ObjectHead[] = [];
  const base = client.keyOf('');
  let last = '';
  let emptyPages = 0;
  let from: Record<string, string> = after === '' ? {} : { 'start-after': base + after };
  for (;;) {
    const page = await pageOf(client, base + prefix, from);
    for (const { key, bytes } of page.objects) {
      const name = key.slice(base.length);
      // Some stores list without an order. A caller that looks for new objects would miss some of
      // them there.
      if (!key.startsWith(base + prefix) || name <= last || name <= after) {
        throw unfit(`it lists "${key}" after "${base}${last}", with prefix "${base}${prefix}"`);
      }
      found.push({ name, bytes });
      last = name;
    }
    if (page.next === undefined) return found;
    emptyPages = page.objects.length === 0 ? emptyPages + 1 : 0;
    if (emptyPages > emptyPagesMax) {
      throw unfit(
        `it returns more than ${emptyPagesMax} consecutive pages without objects, with prefix "${base}${prefix}"`,
      );
    }
    from = { 'continuation-token': page.next };
  }
}

/** Requests one page. Throws `bucket_missing` if the bucket does not exist. */
export async function pageOf(
  client: S3Client,
  prefix: string,
  from: Readonly<Record<string, string>>,
): Promise<Page> {
  const query = { 'list-type': '2', 'encoding-type': 'url', prefix, ...from };
  const purpose = { operation: 'list', object: prefix === '' ? client.bucket : prefix };
  const page = await client.ask({ method: 'GET', query }, purpose, readPage);
  if (page === undefined) {
    throw new StorageError({ kind: 'bucket_missing', bucket: client.bucket });
  }
  return page;
}

function readPage({ body }: S3Answer): Page {
  const xml = new TextDecoder().decode(body);
  if (!isWhole(xml, 'ListBucketResult'))
    throw new Error('the response is not a complete ListBucketResult');
  const isEncoded = textOf(xml, 'EncodingType') === 'url';
  const objects = [...elementsOf(xml, 'Contents')].map((content) => {
    const key = textOf(content, 'Key');
    const size = textOf(content, 'Size') ?? '';
    if (key === undefined || !/^\d+$/.test(size)) {
      throw new Error('an object in the list has no key or no size');
    }
    return { key: isEncoded ? decodeKey(key) : key, bytes: Number(size) };
  });
  const isTruncated = textOf(xml, 'IsTruncated');
  const next = textOf(xml, 'NextContinuationToken');
  if (isTruncated === 'false') return { objects, next: undefined };
  if (isTruncated !== 'true' || next === undefined) {
    throw new Error('the list contains neither its end nor a continuation token');
  }
  return { objects, next };
}

/** Decodes a key. AWS writes a space as `+` here. */
function decodeKey(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function unfit(detail: string): StorageError {
  return new StorageError({ kind: 'unfit', detail });
}
