/** `svc operator`: manages databases as resources of a Kubernetes cluster (docs/kubernetes.md). */

import { existsSync, readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { routedFetch } from '#base';
import { Controller, definitionText, type Fetch, resourceDefinition } from '#operator';
import { type Environment, endLog, LogSink, openLog, RefusedOption, standardError } from '#server';
import { exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';

const help = `
In a cluster, the operator finds the API server, its token and its namespace in its pod. deploy/kubernetes/operator.yaml contains the service account and
the permissions that it needs. Elsewhere, run \`kubectl proxy\` and use --api-server http://127.0.0.1:8001.
Install the custom resource definition first: svc operator --print-crd | kubectl apply -f -`;

/** Directory with the service account of a pod. */
const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const logFormats = ['text', 'json', 'logfmt'] as const;

export function operatorCommand(shell: Shell, exit: (code: number) => void) {
  return new Command('operator')
    .description('Run the Kubernetes operator, which manages databases as resources of a cluster.')
    .option('--image <name>', 'container image of the databases (required)')
    .option('--namespace <name>', 'namespace whose databases it manages (default that of the pod)')
    .option('--all-namespaces', 'manage the databases of all namespaces')
    .option('--api-server <url>', 'URL of the API server (default that of the cluster)')
    .option('--token-file <file>', 'file with the bearer token (default that of the pod)')
    .option(
      '--ca-file <file>',
      'certificate authority of the API server (default that of the cluster)',
    )
    .option(
      '--resync-seconds <n>',
      'time between two checks of all databases (default 60)',
      secondsOf,
    )
    .addOption(
      new Option('--log-format <format>', 'format of log lines (default text)').choices(logFormats),
    )
    .option('--once', 'check all databases once and exit')
    .option('--print-crd', 'print the custom resource definition and exit')
    .addHelpText('after', help)
    .action(async (flags) => {
      if (flags.printCrd) {
        printResult(shell, resourceDefinition(), definitionText());
        return;
      }
      exit(await operate(shell, flags));
    });
}

interface Flags {
  readonly image?: string;
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly apiServer?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly resyncSeconds?: number;
  readonly logFormat?: (typeof logFormats)[number];
  readonly once?: true;
}

async function operate(shell: Shell, flags: Flags): Promise<number> {
  const { world, env } = shell;
  const { image, resyncSeconds = 60 } = flags;
  if (image === undefined)
    throw new RefusedOption('--image', undefined, 'the name of a container image');
  const place = { ...placeOf(flags, env), scheduler: world.scheduler };
  const sink = new LogSink(standardError());
  const log = openLog({
    level: 'info',
    format: flags.logFormat ?? 'text',
    clock: world.clock,
    sink,
  });
  const controller = new Controller({
    place,
    world,
    image,
    resyncSeconds,
    tell: (level, event, fields) => log.write(level, event, { ...fields }),
  });
  if (flags.once) {
    const { areReady } = await controller.look();
    const exitCode = areReady ? exitCodes.done : exitCodes.failed;
    return endLog(sink, world, { exitCode, isHeld: false });
  }
  using interruption = shell.interruption('every');
  log.write('info', 'operator.started', {
    api_server: place.origin,
    namespace: place.namespace ?? 'all',
    image,
  });
  await controller.run(interruption.signal);
  return endLog(sink, world, { exitCode: exitCodes.done, isHeld: false });
}

function placeOf(flags: Flags, env: Environment) {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  const inside = host ? `https://${host.includes(':') ? `[${host}]` : host}:${port}` : undefined;
  const origin = flags.apiServer?.replace(/\/+$/, '') ?? inside;
  if (origin === undefined) {
    throw new RefusedOption(
      '--api-server',
      undefined,
      'the URL of an API server, because this process does not run in a pod',
    );
  }
  if (!URL.canParse(origin)) throw new RefusedOption('--api-server', origin, 'a URL');
  const tokenFile = flags.tokenFile ?? thereOf(`${account}/token`);
  const caFile = flags.caFile ?? thereOf(`${account}/ca.crt`);
  const token = () => (tokenFile === undefined ? undefined : textOf('--token-file', tokenFile));
  token();
  return { origin, token, fetch: fetchOf(caFile), namespace: namespaceOf(flags) };
}

function namespaceOf({ namespace, allNamespaces }: Flags): string | undefined {
  if (allNamespaces) {
    if (namespace === undefined) return undefined;
    throw new RefusedOption('--namespace', namespace, 'no value together with --all-namespaces');
  }
  const own = thereOf(`${account}/namespace`);
  const name = namespace ?? (own === undefined ? undefined : textOf('--namespace', own));
  if (name !== undefined) return name;
  throw new RefusedOption(
    '--namespace',
    undefined,
    'a namespace, or --all-namespaces, because this process does not run in a pod',
  );
}

function fetchOf(caFile: string | undefined): Fetch {
  if (caFile === undefined) return routedFetch;
  const tls = { ca: textOf('--ca-file', caFile) };
  return (url, init) => routedFetch(url, { ...init, tls });
}

function thereOf(path: string): string | undefined {
  return existsSync(path) ? path : undefined;
}

function textOf(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new RefusedOption(option, path, `a file that can be read (${(error as Error).message})`);
  }
}

function secondsOf(text: string): number {
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= 3600) return seconds;
  throw new InvalidArgumentError('Expected an integer from 1 to 3600.');
}
