/** An API server of a cluster, in memory: generations, versions, owners, watches, and no more rights than deploy/kubernetes/operator.yaml gives. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { parseAllDocuments } from 'yaml';
import type { DatabaseResource } from '../../src/operator/resource.ts';
import { databaseSchema } from '../../src/operator/resource.ts';

interface Stored {
  kind?: string;
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    generation: number;
    [member: string]: unknown;
  };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  data?: Record<string, string>;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const manifest = readFileSync(
  join(import.meta.dir, '../../deploy/kubernetes/operator.yaml'),
  'utf8',
);
const rules = parseAllDocuments(manifest)
  .map((document) => document.toJS() as { kind: string; rules: readonly Rule[] })
  .flatMap(({ kind, rules: own }) => (kind === 'ClusterRole' ? own : []));

const verbs: Readonly<Record<string, string>> = { GET: 'get', PATCH: 'patch', DELETE: 'delete' };
const verbsOfCollections: Readonly<Record<string, string>> = { GET: 'list', POST: 'create' };
const path =
  /^(?:\/api\/v1|\/apis\/([^/]+)\/[^/]+)(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\/([^/]+))?(?:\/(status))?$/;

export class FakeCluster {
  readonly requests: string[] = [];
  /** By `collection/namespace/name`. */
  readonly objects = new Map<string, Stored>();
  /** Answers instead of the cluster, while it gives something. */
  trouble: ((method: string, path: string) => Response | undefined) | undefined;
  private version = 1;
  private uids = 0;
  private readonly waiting = new Set<() => void>();

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(url);
    const { method = 'GET' } = init;
    this.requests.push(`${method} ${pathname}`);
    const trouble = this.trouble?.(method, pathname);
    if (trouble !== undefined) return trouble;
    const [, group = '', namespace, collection = '', name, sub] = path.exec(pathname) ?? [];
    const isWatch = searchParams.has('watch');
    const known = name === undefined ? verbsOfCollections : verbs;
    const verb = isWatch ? 'watch' : (known[method] ?? method);
    const resource = sub === undefined ? collection : `${collection}/${sub}`;
    if (!isAllowed(group, resource, verb)) return refusal(403, `${verb} ${resource} is forbidden`);
    if (isWatch) return this.watch(Number(searchParams.get('resourceVersion')), init.signal);
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as Stored) : undefined;
    if (method === 'POST') return this.post(`${collection}/${namespace}/`, body as Stored);
    if (name === undefined) return this.list(collection, namespace);
    const key = `${collection}/${namespace}/${name}`;
    if (method === 'DELETE') return this.remove(key);
    if (method === 'PATCH' && sub === 'status') return this.status(key, body as Stored);
    if (method === 'PATCH') return this.apply(key, group, resource, body as Stored);
    const found = this.objects.get(key);
    return found === undefined
      ? refusal(404, `${collection} "${name}" not found`)
      : Response.json(found);
  };

  /** As a user applies it: defaults are filled in, and what the definition does not allow is refused. */
  create(
    name: string,
    spec: object,
    namespace = 'default',
    createdAt = '2026-01-01T00:00:00Z',
  ): DatabaseResource {
    const whole = Value.Default(databaseSchema.spec, structuredClone(spec)) as Record<
      string,
      unknown
    >;
    const [error] = Value.Errors(databaseSchema.spec, whole);
    if (error !== undefined) throw new Error(`${error.path}: ${error.message}`);
    const stored = this.put(`databases/${namespace}/${name}`, { name, namespace }, { spec: whole });
    stored.metadata['creationTimestamp'] = createdAt;
    return stored as unknown as DatabaseResource;
  }

  change(name: string, spec: object, namespace = 'default'): void {
    const stored = this.objects.get(`databases/${namespace}/${name}`) as Stored;
    stored.spec = { ...stored.spec, ...spec };
    stored.metadata.generation++;
    this.turn();
  }

  secret(name: string, data: Record<string, string>, namespace = 'default'): void {
    this.put(`secrets/${namespace}/${name}`, { name, namespace }, { data });
  }

  /** Pods of the newest template are there and ready. */
  rollOut(name: string, namespace = 'default'): void {
    const stored = this.objects.get(`deployments/${namespace}/${name}`) as Stored;
    const replicas = stored.spec?.['replicas'];
    stored.status = {
      observedGeneration: stored.metadata.generation,
      replicas,
      readyReplicas: replicas,
      updatedReplicas: replicas,
    };
  }

  names(collection: string): string[] {
    const all = [...this.objects.keys()].filter((key) => key.startsWith(`${collection}/`));
    return all.map((key) => key.split('/')[2] as string).sort();
  }

  database(name: string, namespace = 'default'): DatabaseResource {
    return structuredClone(
      this.objects.get(`databases/${namespace}/${name}`),
    ) as unknown as DatabaseResource;
  }

  put(key: string, metadata: { name: string; namespace: string }, rest: object): Stored {
    const uid = `uid-${++this.uids}`;
    const stored: Stored = { metadata: { ...metadata, uid, generation: 1 }, ...rest };
    this.objects.set(key, stored);
    this.turn();
    return stored;
  }

  private turn(): void {
    this.version++;
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }

  private list(collection: string, namespace: string | undefined): Response {
    const within = `${collection}/${namespace === undefined ? '' : `${namespace}/`}`;
    const items = [...this.objects]
      .filter(([key]) => key.startsWith(within))
      .map(([, stored]) => stored);
    return Response.json({ metadata: { resourceVersion: String(this.version) }, items });
  }

  /** Ends at the next change, and when nobody waits for it any more. */
  private async watch(from: number, signal: AbortSignal | null | undefined): Promise<Response> {
    if (this.version <= from) {
      await new Promise<void>((resolve, reject) => {
        this.waiting.add(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    }
    return new Response('{"type":"MODIFIED","object":{}}\n');
  }

  private post(within: string, { metadata, ...rest }: Stored): Response {
    const key = within + metadata.name;
    if (this.objects.has(key)) return refusal(409, `"${metadata.name}" already exists`);
    return Response.json(this.put(key, metadata, rest));
  }

  private apply(key: string, group: string, resource: string, body: Stored): Response {
    const found = this.objects.get(key);
    if (found === undefined) {
      if (!isAllowed(group, resource, 'create'))
        return refusal(403, `create ${resource} is forbidden`);
      const { metadata, ...rest } = body;
      const made = this.put(key, metadata, rest);
      made.metadata = { ...metadata, uid: made.metadata.uid, generation: 1 };
      return Response.json(made);
    }
    if (!Bun.deepEquals(found.spec, body.spec)) found.metadata.generation++;
    const { uid, generation } = found.metadata;
    Object.assign(found, body, { metadata: { ...body.metadata, uid, generation } });
    return Response.json(found);
  }

  private status(key: string, body: Stored): Response {
    const found = this.objects.get(key);
    if (found === undefined) return refusal(404, 'not found');
    found.status = { ...found.status, ...body.status };
    this.turn();
    return Response.json(found);
  }

  private remove(key: string): Response {
    if (!this.objects.delete(key)) return refusal(404, 'not found');
    return Response.json({ kind: 'Status', status: 'Success' });
  }
}

function isAllowed(group: string, resource: string, verb: string): boolean {
  return rules.some(
    (rule) =>
      rule.apiGroups.includes(group) &&
      rule.resources.includes(resource) &&
      rule.verbs.includes(verb),
  );
}

function refusal(status: number, message: string): Response {
  return Response.json({ kind: 'Status', status: 'Failure', message, code: status }, { status });
}
