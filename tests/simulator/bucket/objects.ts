/** A simulated bucket: what an S3 server answers to one request, without any fault. */

export interface BucketRequest {
  readonly method: string;
  /** Undefined for the bucket itself. */
  readonly key: string | undefined;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface BucketAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export class BucketObjects {
  readonly objects = new Map<string, Uint8Array>();
  /** What was there at some time and was deleted. */
  readonly deleted = new Set<string>();
  /** Objects on one page of a listing. */
  private readonly pageKeys: number;

  constructor(pageKeys: number) {
    this.pageKeys = pageKeys;
  }

  /** Bodies are replaced, never changed. */
  clone(): BucketObjects {
    const copy = new BucketObjects(this.pageKeys);
    for (const [key, body] of this.objects) copy.objects.set(key, body);
    for (const key of this.deleted) copy.deleted.add(key);
    return copy;
  }

  answer(request: BucketRequest): BucketAnswer {
    const { method, key, query, headers, body } = request;
    if (key === undefined) {
      if (method === 'POST' && query.has('delete')) return this.deleteMany(body);
      return method === 'GET' ? this.list(query) : plain(405);
    }
    if (method === 'PUT') {
      if (headers['if-none-match'] === '*' && this.objects.has(key)) return plain(412);
      this.objects.set(key, body.slice());
      return plain(200);
    }
    if (method === 'DELETE') {
      this.delete(key);
      return plain(204);
    }
    const found = this.objects.get(key);
    if (found === undefined) return plain(404);
    if (method === 'HEAD')
      return { ...plain(200), headers: { 'content-length': `${found.length}` } };
    return part(found, headers['range']);
  }

  private delete(key: string): void {
    if (this.objects.delete(key)) this.deleted.add(key);
  }

  private list(query: URLSearchParams): BucketAnswer {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const keys: string[] = [];
    for (const key of this.objects.keys()) {
      if (key.startsWith(prefix) && key > after) keys.push(key);
    }
    const page = keys.sort().slice(0, this.pageKeys);
    const isTruncated = page.length < keys.length;
    const contents = page.map((key) => {
      const { length } = this.objects.get(key) as Uint8Array;
      return `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${length}</Size></Contents>`;
    });
    const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return text(
      `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
    );
  }

  private deleteMany(body: Uint8Array): BucketAnswer {
    for (const [, key] of Buffer.from(body)
      .toString()
      .matchAll(/<Key>([^<]*)<\/Key>/g)) {
      this.delete(key as string);
    }
    return text('<DeleteResult></DeleteResult>');
  }
}

export function plain(status: number): BucketAnswer {
  return { status, headers: {}, body: new Uint8Array() };
}

function text(xml: string): BucketAnswer {
  return { status: 200, headers: {}, body: Buffer.from(xml) };
}

function part(found: Uint8Array, range: string | undefined): BucketAnswer {
  const match = /^bytes=(\d+)-(\d+)$/.exec(range ?? '');
  if (match === null) return whole(found, 200, {});
  const [from, to] = match.slice(1).map(Number) as [number, number];
  if (from >= found.length) return plain(416);
  const body = found.slice(from, to + 1);
  const shown = `bytes ${from}-${from + body.length - 1}/${found.length}`;
  return whole(body, 206, { 'content-range': shown });
}

function whole(body: Uint8Array, status: number, headers: Record<string, string>): BucketAnswer {
  return {
    status,
    headers: { ...headers, 'content-length': `${body.length}` },
    body: body.slice(),
  };
}
