/** Builds the environment variables with which `svc serve` runs for a database. */

import {
  type Environment,
  isReachable,
  RefusedConfiguration,
  readConfiguration,
  storeOptions,
  storeVariable,
} from '#server';
import { accessEnvironment, type Role } from './pod-access.ts';
import { credentialKeys, type DatabaseResource, type DatabaseSpec, memberOf } from './resource.ts';

/** The port on which the processes listen. The services forward to it. */
export const httpPort = 7237;
export const spillDirectory = '/spill';
export const cacheDirectory = '/cache';
/** All users can write to the mounted volumes. The server creates a private directory in each. */
const ownDirectory = 'svc';
const drainMs = 5000;
/** The part of the termination grace period that is reserved for closing the store. */
const closeShareSeconds = 15;

export function environmentOf(spec: DatabaseSpec, role: Role): Readonly<Record<string, string>> {
  const { storage, logging, telemetry, relationCache, store = {} } = spec;
  const given = storeOptions.flatMap(({ name }): [string, string][] => {
    const value = store[memberOf(name)];
    return value === undefined ? [] : [[storeVariable(name), String(value)]];
  });
  return {
    SVC_ADDR: `:${httpPort}`,
    ...accessEnvironment(spec, role),
    SVC_ROLE: role,
    SVC_STORAGE: 's3',
    SVC_S3_BUCKET: storage.bucket,
    SVC_S3_PREFIX: storage.prefix,
    SVC_S3_REGION: storage.region,
    ...(storage.endpoint === undefined ? {} : { SVC_S3_ENDPOINT: storage.endpoint }),
    ...(storage.insecure === true ? { SVC_S3_INSECURE: 'true' } : {}),
    SVC_CATALOG_MODE: spec.catalogMode,
    SVC_LOG_LEVEL: logging.level,
    SVC_LOG_FORMAT: logging.format,
    SVC_LOG_PROGRAMS: String(logging.programs),
    SVC_SLOW_MS: String(logging.slowMs),
    ...(telemetry.endpoint === undefined ? {} : tracedTo(telemetry.endpoint, telemetry)),
    SVC_DIAGNOSTICS: telemetry.diagnostics,
    SVC_METRICS: String(telemetry.metrics),
    SVC_RELATION_CACHE_SIZE_MIB: String(relationCache.sizeMiB),
    SVC_RELATION_CACHE_ENTRIES: String(relationCache.entries),
    SVC_RELATION_CACHE_MAX_RESULT_SIZE_MIB: String(relationCache.maxResultSizeMiB),
    SVC_SPILL_PATH: `${spillDirectory}/${ownDirectory}`,
    SVC_SHUTDOWN_DRAIN_MS: String(drainMs),
    SVC_DRAIN_TIMEOUT_MS: String(drainTimeoutMs(spec)),
    ...(keepsParts(spec) ? { STORE_OBJECT_CACHE_PATH: `${cacheDirectory}/${ownDirectory}` } : {}),
    ...Object.fromEntries(given),
  };
}

/** An environment variable of a container, as Kubernetes defines it. */
interface ContainerVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}

/**
 * Returns the variables that identify a pod to collectors and to the writer. Kubernetes truncates the host name of a pod
 * to 63 characters, so the name comes from the pod metadata. The second variable refers to the first, which must
 * therefore precede it.
 */
export function identityOf({ metadata }: DatabaseResource): readonly ContainerVariable[] {
  const attributes = {
    'svc.database.name': metadata.name,
    'k8s.namespace.name': metadata.namespace,
    'k8s.pod.name': `$(${instanceId})`,
  };
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}=${value}`);
  return [
    { name: instanceId, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'OTEL_RESOURCE_ATTRIBUTES', value: pairs.join(',') },
  ];
}

const instanceId = 'SVC_INSTANCE_ID';

/** Returns whether the object cache is on. The cache is on if its size is set, and uses a volume of the pod. */
export function keepsParts({ store = {} }: DatabaseSpec): boolean {
  return store['objectCacheSizeMib'] !== undefined;
}

/** Returns the message with which a process with these settings would refuse to start, or `undefined` if it would start. */
export function refusalOf(environment: Environment): string | undefined {
  const credentials = Object.fromEntries(credentialKeys.map((key) => [key, 'of the pod']));
  try {
    isReachable(readConfiguration({}, { ...environment, ...credentials }));
    return undefined;
  } catch (error) {
    if (error instanceof RefusedConfiguration) return error.message;
    throw error;
  }
}

function tracedTo(endpoint: string, { traceSamplePercent }: DatabaseSpec['telemetry']) {
  return {
    SVC_OTEL_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: String(traceSamplePercent / 100),
  };
}

/**
 * Returns the drain timeout in milliseconds. The timeout is the part of the grace period that remains after the wait for load balancers and the
 * closing of the store, at least 5 s and at most 30 s.
 */
function drainTimeoutMs({ terminationGracePeriodSeconds }: DatabaseSpec): number {
  const seconds = terminationGracePeriodSeconds - drainMs / 1000 - closeShareSeconds;
  return Math.max(5, Math.min(30, seconds)) * 1000;
}
