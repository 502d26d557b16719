/**
 * Reconciles a cluster with its `Database` resources. Each pass reads the complete state, so that no result depends on
 * the events that were received.
 */

import type { World } from '#base';
import { accessVerdict } from './access-secrets.ts';
import { type ApiPlace, ApiRefusal, ClusterApi } from './api.ts';
import { refusedClaims } from './claims.ts';
import { conditionsOf, no, type Verdicts, yes } from './conditions.ts';
import { environmentOf, refusalOf } from './environment.ts';
import { absentObjects, type ClusterObject, namesOf, objectsOf } from './objects.ts';
import { acceptsKeys, adminKeySecretOf } from './pod-access.ts';
import { credentialKeys, type DatabaseResource, type DatabaseStatus } from './resource.ts';

interface ControllerOptions {
  readonly place: ApiPlace;
  readonly world: World;
  readonly image: string;
  /** Maximum time between two passes if no change is observed. */
  readonly resyncSeconds: number;
  readonly tell: (level: 'info' | 'warn', event: string, fields: object) => void;
}

/** Maximum time between two passes while a database is not ready. The watch of databases reports no changes of deployments. */
const impatientSeconds = 5;
const backOffMs = { first: 1000, last: 60_000 };

export class Controller {
  private readonly options: ControllerOptions;
  private readonly api: ClusterApi;

  constructor(options: ControllerOptions) {
    this.options = options;
    this.api = new ClusterApi(options.place);
  }

  /** Runs until `signal` is aborted. Logs each error of the API server and retries after a pause. */
  async run(signal: AbortSignal): Promise<void> {
    let pauseMs = backOffMs.first;
    while (!signal.aborted) {
      try {
        const { resourceVersion, areReady } = await this.look();
        pauseMs = backOffMs.first;
        const seconds = areReady ? this.options.resyncSeconds : impatientSeconds;
        await this.api.changed(resourceVersion, seconds, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.options.tell('warn', 'operator.failed', {
          message: wordsOf(error),
          retry_ms: pauseMs,
        });
        await this.pause(pauseMs, signal);
        pauseMs = Math.min(2 * pauseMs, backOffMs.last);
      }
    }
  }

  /** Reconciles every database once. An error of one database does not affect the others. */
  async look(): Promise<{ readonly resourceVersion: string; readonly areReady: boolean }> {
    const { metadata, items } = await this.api.databases();
    const refused = refusedClaims(items);
    let areReady = true;
    for (const database of items) {
      if (database.metadata.deletionTimestamp !== undefined) continue;
      try {
        const isReady = await this.reconcile(database, refused.get(database.metadata.uid));
        areReady &&= isReady;
      } catch (error) {
        areReady = false;
        this.options.tell('warn', 'operator.failed', {
          database: nameOf(database),
          message: wordsOf(error),
        });
      }
    }
    return { resourceVersion: metadata.resourceVersion, areReady };
  }

  private async reconcile(database: DatabaseResource, owner: string | undefined): Promise<boolean> {
    const { spec } = database;
    if (owner !== undefined) {
      const claim = no(
        'PlaceTaken',
        `the storage location is in use by ${owner}: two writers would fence each other`,
      );
      return this.conclude(database, { ...waiting, ClaimsAccepted: claim }, 0);
    }
    const ClaimsAccepted = yes('Accepted', 'no other database uses this storage location');
    const { verdict: CredentialsReady, digest } = await this.credentials(database);
    if (!CredentialsReady.isTrue) {
      // The running pods keep their current settings.
      return this.conclude(
        database,
        { ...waiting, ClaimsAccepted, CredentialsReady },
        await this.readers(database),
      );
    }
    const AuthenticationReady = await accessVerdict(database, {
      api: this.api,
      random: this.options.world.random,
      writer: await this.deployment(database, 'writer'),
    });
    if (!AuthenticationReady.isTrue) {
      const verdicts = { ...waiting, ClaimsAccepted, CredentialsReady, AuthenticationReady };
      return this.conclude(database, verdicts, await this.readers(database));
    }
    const refusal =
      refusalOf(environmentOf(spec, 'write')) ?? refusalOf(environmentOf(spec, 'read'));
    if (refusal !== undefined) {
      const WorkloadReady = no(
        'ConfigurationRefused',
        `svc serve would refuse to start: ${refusal}`,
      );
      const known = { ClaimsAccepted, CredentialsReady, AuthenticationReady };
      const verdicts = { ...waiting, ...known, WorkloadReady };
      return this.conclude(database, verdicts, await this.readers(database));
    }
    const applied: ClusterObject[] = [];
    const setting = { image: this.options.image, credentialsDigest: digest };
    for (const object of objectsOf(database, setting)) {
      await this.refuseForeign(database, object);
      applied.push(await this.api.apply(object));
    }
    for (const object of absentObjects(database)) await this.removeOwn(database, object);
    const { WorkloadReady, ready } = workloads(database, applied);
    const RouteReady =
      spec.route === undefined
        ? yes('None', 'the resource defines no route')
        : yes('Applied', `an ingress routes ${spec.route.hostname} to the writer`);
    return this.conclude(
      database,
      { ClaimsAccepted, CredentialsReady, AuthenticationReady, WorkloadReady, RouteReady },
      ready,
    );
  }

  private async credentials({ metadata, spec }: DatabaseResource) {
    const { credentialsSecretRef: secret, serviceAccountName } = spec.storage.authentication;
    if (secret === undefined) {
      return {
        verdict: yes('Account', `pods use the service account ${serviceAccountName}`),
        digest: undefined,
      };
    }
    const { data } = (await this.api.secret(metadata.namespace, secret.name)) ?? {};
    if (data === undefined)
      return {
        verdict: no('NoSecret', `secret ${secret.name} does not exist or has no data`),
        digest: undefined,
      };
    const missing = credentialKeys.filter((key) => (data[key] ?? '') === '');
    if (missing.length > 0) {
      return {
        verdict: no('KeysMissing', `secret ${secret.name} has no ${missing.join(' and no ')}`),
        digest: undefined,
      };
    }
    const sorted = JSON.stringify(Object.entries(data).sort());
    const digest = new Bun.CryptoHasher('sha256').update(sorted).digest('hex').slice(0, 32);
    return { verdict: yes('Found', `secret ${secret.name} has all keys`), digest };
  }

  /** Throws if an object of that name exists and belongs to another owner. The operator does not change such an object. */
  private async refuseForeign(database: DatabaseResource, object: ClusterObject): Promise<void> {
    const found = await this.api.find(object);
    if (found === undefined || isOf(database, found)) return;
    const { kind, metadata } = object;
    throw new Error(
      `${kind} ${metadata.name} exists and does not belong to this database; it was not changed`,
    );
  }

  private async removeOwn(database: DatabaseResource, object: ClusterObject): Promise<void> {
    const found = await this.api.find(object);
    if (found !== undefined && isOf(database, found)) await this.api.remove(object);
  }

  /** Returns the number of ready readers of a database whose objects stay unchanged. */
  private async readers(database: DatabaseResource): Promise<number> {
    return rolloutOf(await this.deployment(database, 'reader')).ready;
  }

  private deployment(database: DatabaseResource, component: 'writer' | 'reader') {
    const name = namesOf(database)[component];
    const { namespace } = database.metadata;
    return this.api.find({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
    });
  }

  /** Writes the status if it has changed. Returns whether the database is ready. */
  private async conclude(
    database: DatabaseResource,
    verdicts: Verdicts,
    readyReaders: number,
  ): Promise<boolean> {
    const { metadata, spec } = database;
    const { writer, reader } = namesOf(database);
    const hasAdminKey = verdicts.AuthenticationReady.isTrue && acceptsKeys(spec);
    const status: DatabaseStatus = {
      observedGeneration: metadata.generation,
      writerServiceName: writer,
      readerServiceName: spec.readers === 0 ? '' : reader,
      adminKeySecretName: hasAdminKey ? adminKeySecretOf(metadata.name) : '',
      desiredReaders: spec.readers,
      readyReaders,
      conditions: conditionsOf(database, verdicts, this.options.world.clock),
    };
    const ready = status.conditions?.at(-1);
    if (!Bun.deepEquals(status, database.status)) {
      await this.api.writeStatus(database, status);
      const { reason, message } = ready ?? {};
      this.options.tell('info', 'operator.database', {
        database: nameOf(database),
        reason,
        message,
      });
    }
    return ready?.status === 'True';
  }

  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.options.world.scheduler.after(ms, resolve);
      signal.addEventListener('abort', () => {
        timer.cancel();
        resolve();
      });
    });
  }
}

const unknown = no('Waiting', 'an earlier condition is not met yet');
const waiting: Verdicts = {
  ClaimsAccepted: unknown,
  CredentialsReady: unknown,
  AuthenticationReady: unknown,
  WorkloadReady: unknown,
  RouteReady: unknown,
};

interface Rollout {
  readonly wanted: number;
  readonly ready: number;
  /** Whether all pods use the newest template. */
  readonly isCurrent: boolean;
}

function rolloutOf(object: ClusterObject | undefined): Rollout {
  const { metadata, spec, status } = (object ?? {}) as {
    readonly metadata?: { readonly generation?: number };
    readonly spec?: { readonly replicas?: number };
    readonly status?: {
      readonly observedGeneration?: number;
      readonly readyReplicas?: number;
      readonly updatedReplicas?: number;
      readonly replicas?: number;
    };
  };
  const wanted = spec?.replicas ?? 0;
  const isSeen = status?.observedGeneration === metadata?.generation;
  const isUpdated = (status?.updatedReplicas ?? 0) >= wanted && (status?.replicas ?? 0) <= wanted;
  return { wanted, ready: status?.readyReplicas ?? 0, isCurrent: isSeen && isUpdated };
}

function workloads(database: DatabaseResource, applied: readonly ClusterObject[]) {
  const { writer, reader } = namesOf(database);
  const deployed = (name: string) =>
    rolloutOf(
      applied.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name),
    );
  const [writing, reading] = [deployed(writer), deployed(reader)];
  const isThere = writing.ready >= 1 && reading.ready >= reading.wanted;
  const isCurrent = writing.isCurrent && (reading.wanted === 0 || reading.isCurrent);
  const counts = `${writing.ready} of 1 writer, ${reading.ready} of ${reading.wanted} readers are ready`;
  if (!isThere) return { WorkloadReady: no('NotReady', counts), ready: reading.ready };
  if (!isCurrent)
    return {
      WorkloadReady: no('RollingOut', `${counts}; not all of them use the newest template`),
      ready: reading.ready,
    };
  return { WorkloadReady: yes('Ready', counts), ready: reading.ready };
}

function isOf(database: DatabaseResource, { metadata }: ClusterObject): boolean {
  const owners = metadata['ownerReferences'] as readonly { readonly uid?: string }[] | undefined;
  return owners?.some(({ uid }) => uid === database.metadata.uid) ?? false;
}

function nameOf({ metadata: { namespace, name } }: DatabaseResource): string {
  return `${namespace}/${name}`;
}

function wordsOf(error: unknown): string {
  if (error instanceof ApiRefusal && error.status === 404) {
    return `${error.message}; if the resource is not defined, run \`svc operator --print-crd | kubectl apply -f -\``;
  }
  return error instanceof Error ? error.message : String(error);
}
