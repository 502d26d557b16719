/** `svc serve`: runs the server until it is told to stop. */

import { Command } from '@commander-js/extra-typings';
import { systemWorld } from '#base';
import { environment, openLog, readConfiguration, runUntilSignal, startServer } from '#server';

const flags: readonly (readonly [string, string])[] = [
  ['--addr <host:port>', 'where to listen (default 127.0.0.1:7237; SVC_ADDR)'],
  ['--storage <kind>', 'file or memory (default file; SVC_STORAGE)'],
  ['--storage-path <directory>', 'directory of a file store (default svc; SVC_STORAGE_PATH)'],
  [
    '--catalog-mode <mode>',
    'direct or schema; fixed when the database is created (SVC_CATALOG_MODE)',
  ],
  ['--log-level <level>', 'error, warn, info or debug (default info; SVC_LOG_LEVEL)'],
  ['--log-format <format>', 'text, json or logfmt (default text; SVC_LOG_FORMAT)'],
  ['--max-body-mib <n>', 'largest request body (default 4; SVC_MAX_BODY_MIB)'],
  ['--max-queue <n>', 'programs that may wait to run (default 1024; SVC_MAX_QUEUE)'],
  ['--program-memory-mib <n>', 'memory one program may hold (default 256; SVC_PROGRAM_MEMORY_MIB)'],
  ['--statement-timeout-ms <n>', 'longest run of a program, 0 = none (SVC_STATEMENT_TIMEOUT_MS)'],
  [
    '--store-decoded-cache-size-mib <n>',
    'block cache, at least 16 (default 128; STORE_DECODED_CACHE_SIZE_MIB)',
  ],
];

export function serveCommand(exit: (code: number) => void) {
  const command = new Command('serve')
    .description('Run the server.')
    .exitOverride()
    .allowExcessArguments(false);
  for (const [name, description] of flags) command.option(name, description);
  return command.action(async (options) => exit(await serve(options)));
}

async function serve(options: Readonly<Record<string, unknown>>): Promise<number> {
  const configuration = readConfiguration(flagValues(options), environment());
  const world = systemWorld();
  const log = openLog({
    level: configuration.logLevel,
    format: configuration.logFormat,
    clock: world.clock,
    sink: (line) => console.error(line),
  });
  const server = await startServer(configuration, world, log);
  console.log(`svc is listening on ${server.url}, data in ${server.location}`);
  return runUntilSignal(server);
}

/** Commander's camelCase names back to the flags' own. */
function flagValues(options: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      String(value),
    ]),
  );
}
