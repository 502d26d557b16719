/** `svc serve`: runs the server until a signal or a failure stops it. */

import { Command } from '@commander-js/extra-typings';
import { limitHeap } from '#base';
import {
  endLog,
  LogSink,
  openLog,
  readConfiguration,
  runServer,
  Server,
  standardError,
  withHostAddresses,
} from '#server';
import { flagValues } from '../frame/flag-values.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { environmentHelp, serveOptions } from './serve-flags.ts';
import { unknownVariables } from './unknown-variables.ts';

export function serveCommand(shell: Shell, exit: (code: number) => void) {
  const command = new Command('serve')
    .description('Run the server.')
    .addHelpText('after', environmentHelp);
  for (const option of serveOptions) command.addOption(option);
  return command.action(async (options) => exit(await serve(shell, options)));
}

async function serve(
  { mode, notes, env, world }: Shell,
  options: Readonly<Record<string, unknown>>,
) {
  const asked = readConfiguration(flagValues(options), env);
  limitHeap(asked, env);
  const configuration = await withHostAddresses(asked);
  const sink = new LogSink(standardError());
  const log = openLog({
    level: configuration.logLevel,
    format: configuration.logFormat,
    clock: world.clock,
    sink,
  });
  for (const message of unknownVariables(env))
    log.write('warn', 'process.unknown_variable', { message });
  const ending = await runServer(
    log,
    () => new Server(configuration, world, log, sink),
    ({ url }, { location, isNew }) => {
      // Marks a new store, because a mistyped path would otherwise look like the right one.
      const fresh = isNew ? ' (a new, empty store)' : '';
      const data = location === 'memory' ? 'data in memory only' : `data in ${location}${fresh}`;
      const isText = configuration.logFormat === 'text' || mode === 'json';
      if (isText)
        printResult(
          { mode, notes },
          { url, location, is_new: isNew },
          `svc is listening on ${url}, ${data}`,
        );
      // A reader of structured log lines receives no other output.
      else log.write('info', 'process.listening', { url, location, is_new: isNew });
    },
  );
  return endLog(sink, world, ending);
}
