/**
 * The requests of the operator to the API server of a cluster: get, apply, delete and watch on a few paths. The
 * Kubernetes client library would add fifty packages, most of them for kubeconfig files and streams, which a pod does
 * not need.
 */

import type { Scheduler } from '#base';
import type { ClusterObject } from './objects.ts';
import { type DatabaseResource, type DatabaseStatus, group, plural, version } from './resource.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ApiPlace {
  readonly origin: string;
  readonly fetch: Fetch;
  readonly scheduler: Scheduler;
  /** Returns the bearer token. Called for each request, because the cluster renews the token. */
  readonly token: () => string | undefined;
  /** The namespace to watch, or `undefined` for all namespaces. */
  readonly namespace: string | undefined;
}

/** A response of the API server that is not a success. */
export class ApiRefusal extends Error {
  readonly status: number;

  constructor(status: number, method: string, path: string, said: string) {
    super(`${method} ${path}: ${status} ${said}`);
    this.name = 'ApiRefusal';
    this.status = status;
  }
}

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly DatabaseResource[];
}

interface Secret {
  readonly data?: Readonly<Record<string, string>>;
}

/** The field manager name that the API server records. Other managers may own other fields of the same objects. */
const manager = 'svc-operator';
const applyType = 'application/apply-patch+yaml';
const mergeType = 'application/merge-patch+json';
const saidMax = 500;
const requestLimitMs = 30_000;
/** Time that the client waits for the end of a watch after the API server should have ended it. */
const watchSlackMs = 10_000;

const paths: Readonly<Record<string, readonly [base: string, plural: string]>> = {
  Deployment: ['/apis/apps/v1', 'deployments'],
  Ingress: ['/apis/networking.k8s.io/v1', 'ingresses'],
  PodDisruptionBudget: ['/apis/policy/v1', 'poddisruptionbudgets'],
  Service: ['/api/v1', 'services'],
  ServiceAccount: ['/api/v1', 'serviceaccounts'],
};

export class ClusterApi {
  private readonly place: ApiPlace;

  constructor(place: ApiPlace) {
    this.place = place;
  }

  async databases(): Promise<List> {
    return (await this.send('GET', this.collection)) as List;
  }

  /** Waits until a resource changes after `resourceVersion`, or until `seconds` have passed. */
  async changed(resourceVersion: string, seconds: number, signal: AbortSignal): Promise<void> {
    const query = `watch=1&resourceVersion=${encodeURIComponent(resourceVersion)}&timeoutSeconds=${seconds}`;
    const limitMs = seconds * 1000 + watchSlackMs;
    await this.exchange('GET', `${this.collection}?${query}`, { signal, limitMs }, async (body) => {
      const reader = body.body?.getReader();
      // The first event is enough, because the caller then lists all resources again.
      await reader?.read();
      await reader?.cancel();
    }).catch((error: unknown) => {
      // 410: the server no longer has all changes since this version.
      if (!(error instanceof ApiRefusal && error.status === 410)) throw error;
    });
  }

  /** Reads a secret. Returns `undefined` if it does not exist. */
  async secret(namespace: string, name: string): Promise<Secret | undefined> {
    return (await this.sendIfThere('GET', pathOf('/api/v1', namespace, 'secrets', name))) as
      | Secret
      | undefined;
  }

  /** Creates a secret. Returns `false` if it exists already; it was not changed then. */
  async createSecret(
    namespace: string,
    name: string,
    secret: { readonly labels: object; readonly data: Readonly<Record<string, string>> },
  ): Promise<boolean> {
    const { labels, data } = secret;
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, labels },
      type: 'Opaque',
      data,
    };
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets?fieldManager=${manager}`;
    try {
      await this.send('POST', path, { type: 'application/json', body });
      return true;
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 409) return false;
      throw error;
    }
  }

  /** Creates or updates the object, and returns it with its status. */
  async apply(object: ClusterObject): Promise<ClusterObject> {
    const path = `${objectPath(object)}?fieldManager=${manager}&force=true`;
    return (await this.send('PATCH', path, { type: applyType, body: object })) as ClusterObject;
  }

  /** Reads the current state of an object. Returns `undefined` if the object does not exist. */
  async find(object: ClusterObject): Promise<ClusterObject | undefined> {
    return (await this.sendIfThere('GET', objectPath(object))) as ClusterObject | undefined;
  }

  async remove(object: ClusterObject): Promise<void> {
    await this.sendIfThere('DELETE', objectPath(object));
  }

  async writeStatus({ metadata }: DatabaseResource, status: DatabaseStatus): Promise<void> {
    const { namespace, name } = metadata;
    const path = `${pathOf(`/apis/${group}/${version}`, namespace, plural, name)}/status`;
    await this.send('PATCH', path, { type: mergeType, body: { status } });
  }

  private get collection(): string {
    const { namespace } = this.place;
    const within = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
    return `/apis/${group}/${version}${within}/${plural}`;
  }

  private async sendIfThere(method: string, path: string): Promise<unknown> {
    try {
      return await this.send(method, path);
    } catch (error) {
      if (error instanceof ApiRefusal && error.status === 404) return undefined;
      throw error;
    }
  }

  private send(method: string, path: string, content: Content = {}): Promise<unknown> {
    return this.exchange(method, path, content, (response) => response.json());
  }

  /** Sends a request. `read` reads the response within the same time limit. */
  private async exchange<T>(
    method: string,
    path: string,
    { type, body, signal, limitMs = requestLimitMs }: Content,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { origin, token, scheduler } = this.place;
    const bearer = token();
    const timeout = new AbortController();
    const give = () =>
      timeout.abort(new Error(`${method} ${path}: no response within the time limit`));
    const timer = scheduler.after(limitMs, give);
    signal?.addEventListener('abort', give);
    try {
      const response = await this.place.fetch(origin + path, {
        method,
        headers: {
          accept: 'application/json',
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          ...(type === undefined ? {} : { 'content-type': type }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: timeout.signal,
      });
      if (response.ok) return await read(response);
      const said = (await response.text()).slice(0, saidMax);
      throw new ApiRefusal(response.status, method, path, messageOf(said));
    } finally {
      timer.cancel();
      signal?.removeEventListener('abort', give);
    }
  }
}

interface Content {
  readonly type?: string;
  readonly body?: object;
  readonly signal?: AbortSignal;
  readonly limitMs?: number;
}

function objectPath({ kind, metadata }: ClusterObject): string {
  const known = paths[kind];
  if (known === undefined) throw new Error(`objects of kind ${kind} have no API path`);
  const [base, collection] = known;
  return pathOf(base, metadata.namespace, collection, metadata.name);
}

function pathOf(base: string, namespace: string, collection: string, name: string): string {
  const [within, last] = [encodeURIComponent(namespace), encodeURIComponent(name)];
  return `${base}/namespaces/${within}/${collection}/${last}`;
}

/** Returns the message of a Status object, or the text unchanged if it is not such an object. */
function messageOf(text: string): string {
  const quoted = /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return quoted === undefined ? text : (JSON.parse(`"${quoted}"`) as string);
}
