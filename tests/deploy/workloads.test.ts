/** The unit, the container file and the manifests: flags that exist, limits that fit each other, and nothing that may do more than it must. */

import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isReachable, readConfiguration } from '#server';
import { deploy, hasTool, run } from './tools.ts';

const textOf = (name: string) => readFileSync(join(deploy, name), 'utf8');
const unit = textOf('svc.service');
const containerfile = textOf('Containerfile');
const reference = readFileSync(join(deploy, '..', 'docs', 'cli.md'), 'utf8');

/** `SVC_X_Y` and `STORE_X_Y` are flags of `svc serve`; the others have no flag. */
function expectKnown(variables: readonly string[]): void {
  for (const variable of variables) {
    if (variable === 'SVC_SHUTDOWN_DRAIN_MS') continue;
    const words = variable.replace(/^SVC_/, '').toLowerCase().replaceAll('_', '-');
    expect(reference).toContain(`\`--${words} `);
  }
}

const variablesIn = (text: string) =>
  [...text.matchAll(/\b((?:SVC|STORE)_[A-Z0-9_]+)=/g)].map(([, name = '']) => name);

describe('the unit', () => {
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

  test('sets flags that exist', () => {
    expect(variablesIn(unit)).toHaveLength(4);
    expectKnown(variablesIn(unit));
  });

  test('waits longer than a drain, and leaves a fenced writer ended', () => {
    expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(30);
    expect(value('RestartPreventExitStatus')?.split(' ')).toContain('6');
    expect(reference).toContain('6 another writer has taken over');
  });

  test.skipIf(!hasTool('systemd-analyze', 'systemd'))('is accepted by systemd', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-unit-'));
    try {
      const program = join(directory, 'svc');
      await Bun.write(program, '#!/bin/sh\n');
      chmodSync(program, 0o755);
      const file = join(directory, 'svc.service');
      await Bun.write(file, unit.replace('/usr/local/bin/svc', program));
      expect(await run(['systemd-analyze', 'verify', file])).toEqual([0, '']);
      // Out of ten, and the less the better.
      const argv = ['systemd-analyze', 'security', '--offline=true', '--threshold=20', file];
      const [code, output] = await run(argv);
      expect([code, output]).toEqual([0, expect.stringContaining('Overall exposure level')]);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

test('the container runs as nobody, and every step of it is one that there is', () => {
  const steps = containerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .trim()
    .split(/\n+/);
  const known =
    /^(?:FROM|ARG|RUN|COPY|ENV|USER|WORKDIR|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD) /;
  for (const step of steps) expect(step).toMatch(known);
  const last = steps.slice(steps.findLastIndex((step) => step.startsWith('FROM ')));
  expect(last.find((step) => step.startsWith('USER '))).toBe('USER 65532:65532');
  // There is no shell in it.
  expect(last.filter((step) => step.startsWith('RUN '))).toEqual([]);
  const health = last.find((step) => step.startsWith('HEALTHCHECK ')) ?? '';
  expect(JSON.parse(health.slice(health.indexOf('[')))).toEqual([
    ...['/usr/local/bin/svc', 'doctor', 'ready'],
  ]);
  expectKnown(last.flatMap(variablesIn));
});

test('the container starts only with TLS, and its clients need a key', () => {
  const variables = /^ENV ((?:.*\\\n)*.*)$/m.exec(containerfile)?.[1] ?? '';
  const pairs = [...variables.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]);
  const env = Object.fromEntries(pairs) as Record<string, string>;
  expect(() => isReachable(readConfiguration({}, env))).toThrow('without TLS');
  const proxied = readConfiguration({}, { ...env, SVC_BEHIND_TLS_PROXY: 'true' });
  expect([isReachable(proxied), proxied.authentication.acceptsKeys]).toEqual([false, true]);
});

interface Container {
  readonly args: readonly string[];
  readonly envFrom: readonly Record<string, { readonly name: string }>[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: unknown;
  readonly resources: {
    readonly requests: Record<string, string>;
    readonly limits: Record<string, string>;
  };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly [probe: `${string}Probe`]: {
    readonly httpGet: { readonly path: string; readonly port: string; readonly scheme: string };
  };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Record<string, string>;
  readonly stringData: Record<string, string>;
  readonly spec: {
    readonly replicas: number;
    readonly strategy: { readonly type: string };
    readonly selector: { readonly matchLabels: unknown };
    readonly template: {
      readonly metadata: { readonly labels: unknown };
      readonly spec: {
        readonly containers: readonly Container[];
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: Record<string, unknown>;
        readonly enableServiceLinks: boolean;
        readonly volumes: readonly {
          readonly name: string;
          readonly secret?: { readonly secretName: string; readonly defaultMode: number };
        }[];
      };
    };
  };
}

describe('the manifests', () => {
  const all = ['kubernetes/svc.yaml', 'kubernetes/credentials.example.yaml'].flatMap((name) =>
    parseAllDocuments(textOf(name)).map((document) => {
      if (!('errors' in document)) throw new Error(`${name} is empty`);
      expect(document.errors).toEqual([]);
      return document.toJS() as Manifest;
    }),
  );
  const named = (kind: string, name: string) =>
    all.find((one) => one.kind === kind && one.metadata.name === name) as Manifest;
  const { data: settings } = named('ConfigMap', 'svc');
  const roles = [
    ['writer', 'write', 'Recreate'],
    ['reader', 'read', 'RollingUpdate'],
  ] as const;

  test('set flags that exist', () => {
    expectKnown(Object.keys(settings));
    expect(Object.keys(named('Secret', 'svc-bucket').stringData)).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
    ]);
  });

  test.each(roles)('%s', (name, role, strategy) => {
    const { spec } = named('Deployment', `svc-${name}`);
    const { template } = spec;
    const pod = template.spec;
    const [container] = pod.containers as [Container];
    expect([spec.strategy.type, container.args]).toEqual([strategy, ['serve', '--role', role]]);
    if (role === 'write') expect(spec.replicas).toBe(1);
    expect(template.metadata.labels).toEqual(spec.selector.matchLabels as object);
    expect<unknown>(named('Service', `svc-${name}`).spec.selector).toEqual(
      template.metadata.labels as object,
    );
    const probes = (['startup', 'readiness', 'liveness'] as const).map(
      (probe) => container[`${probe}Probe`]?.httpGet,
    );
    expect(probes).toEqual(
      ['/startupz', '/readyz', '/livez'].map((path) => ({ path, port: 'http', scheme: 'HTTPS' })),
    );
    expect(container.ports).toEqual([{ name: 'http', containerPort: 7237 }]);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(pod.enableServiceLinks).toBe(false);
    const drainMs = Number(settings['SVC_SHUTDOWN_DRAIN_MS']);
    const finishMs = Number(settings['SVC_DRAIN_TIMEOUT_MS']);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan((drainMs + finishMs) / 1000);
    // A limit above what is asked for would be taken by others first.
    expect(container.resources.limits['memory']).toBe(
      container.resources.requests['memory'] as string,
    );
    expect(container.envFrom).toEqual([
      { configMapRef: { name: 'svc' } },
      { secretRef: { name: 'svc-bucket' } },
    ]);
    expect(container.volumeMounts.map((mount) => mount.name)).toEqual(
      pod.volumes.map((volume) => volume.name),
    );
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain(
      dirname(settings['SVC_SPILL_PATH'] as string),
    );
  });

  test.each(roles)('%s starts only with keys and TLS, from mounted secrets', (name, role) => {
    const pod = named('Deployment', `svc-${name}`).spec.template.spec;
    const [{ env = [], volumeMounts }] = pod.containers as [Container];
    const own = Object.fromEntries(env.map((one) => [one.name, one.value]));
    expectKnown(Object.keys(own));
    const keys = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
    const variables = { ...settings, ...own, ...keys, SVC_ROLE: role };
    const configuration = readConfiguration({}, variables);
    expect(isReachable(configuration)).toBe(false);
    const { authentication, tls } = configuration;
    expect([authentication.acceptsKeys, authentication.bootstrapKeyPath]).toEqual([
      true,
      role === 'write' ? '/keys/admin/key' : undefined,
    ]);
    const [pair] = tls?.pairs ?? [];
    for (const path of [pair?.certPath, pair?.keyPath, authentication.bootstrapKeyPath]) {
      if (path === undefined) continue;
      const mount = volumeMounts.find(({ mountPath }) => mountPath === dirname(path));
      const secret = pod.volumes.find((one) => one.name === mount?.name)?.secret;
      expect(secret?.defaultMode).toBe(0o440);
      const { stringData } = named('Secret', secret?.secretName as string);
      expect(stringData).toHaveProperty([basename(path)]);
    }
  });

  test('a budget for disruptions is that of readers', () => {
    const budgets = all.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets.map(({ spec }) => spec.selector)).toEqual([
      named('Deployment', 'svc-reader').spec.selector,
    ]);
  });
});
