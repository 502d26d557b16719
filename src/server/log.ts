/** The log of the process: one event per line, on the standard error, as text, JSON or logfmt. */

import type { Clock } from '#base';
import { type LogFormat, type LogLevel, logLevels } from './configuration.ts';
import type { LogSink } from './log-sink.ts';

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  /** Writes an event. `event` is a stable dotted name. */
  write(level: LogLevel, event: string, fields?: LogFields): void;
  /** Returns whether events of this level are written. */
  has(level: LogLevel): boolean;
}

interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly clock: Clock;
  readonly sink: Pick<LogSink, 'write' | 'noticeBy'>;
}

export function openLog(options: LogOptions): Log {
  const highest = logLevels.indexOf(options.level);
  const format = formats[options.format];
  const has = (level: LogLevel) => logLevels.indexOf(level) <= highest;
  const lineOf = (level: LogLevel, event: string, fields: LogFields) =>
    format({
      time: new Date(options.clock.unixMs()).toISOString(),
      level,
      target: event.startsWith('program.') ? 'svc::program' : 'svc',
      event,
      component: event.split('.', 1)[0] as string,
      ...fields,
    });
  options.sink.noticeBy((lines) => lineOf('warn', 'log.dropped', { lines }));
  return {
    has,
    write: (level, event, fields = {}) => {
      if (has(level)) options.sink.write(lineOf(level, event, fields));
    },
  };
}

type Line = LogFields & {
  readonly time: string;
  readonly level: string;
  readonly target: string;
  readonly event: string;
  /** The first word of the event. */
  readonly component: string;
};

const formats: Readonly<Record<LogFormat, (line: Line) => string>> = {
  json: (line) => JSON.stringify(line),
  logfmt: (line) => pairs(line),
  text: ({ time, level, event, message, target: _target, component: _component, ...fields }) => {
    const said = message === undefined ? event : `${event}: ${message}`;
    return `${time} ${level.padEnd(5)} ${said} ${pairs(fields)}`.trimEnd();
  },
};

function pairs(fields: LogFields): string {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return present.map(([name, value]) => `${name}=${quoted(String(value))}`).join(' ');
}

function quoted(text: string): string {
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}
