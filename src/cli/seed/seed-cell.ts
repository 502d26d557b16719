/** Converts a value in the notation of seed files to a cell of a program (docs/lir.md, `rows`). */

import type { Column } from '#catalog';
import { formatBase64, parseBase64, parseCell, parseIdentifier, parseInstant } from '#value';
import type { SeedValue } from './seed-document.ts';

type ReadCell =
  /** The canonical text, so that equal values have equal texts. */
  | { readonly kind: 'cell'; readonly text: string | null }
  | { readonly kind: 'trouble'; readonly message: string };

export function readCell(column: Column, value: SeedValue): ReadCell {
  if (value.kind === 'null') {
    return column.nullable
      ? { kind: 'cell', text: null }
      : trouble(`${named(column)} does not accept null`);
  }
  if (value.kind === 'other') return unfit(column, value.what);
  const text = textOf(column, value);
  return text === undefined ? unfit(column, shown(value)) : { kind: 'cell', text };
}

type Written = Exclude<SeedValue, { kind: 'null' | 'other' }>;

function textOf(column: Column, written: Written): string | undefined {
  const { type } = column;
  if (written.kind === 'bool') return type === 'bool' ? String(written.value) : undefined;
  const { kind, value } = written;
  switch (type) {
    case 'bool':
      return undefined;
    case 'text':
      return kind === 'text' && value.isWellFormed() ? value : undefined;
    case 'bytes':
      return kind === 'text' ? bytesText(column, value) : undefined;
    case 'int64':
      return numberText('int64', value) ?? timeText(column, value);
    case 'float64':
      return numberText('float64', value);
  }
}

function numberText(type: 'int64' | 'float64', value: string): string | undefined {
  const parsed = parseCell(type, value);
  if (parsed.kind !== 'value') return undefined;
  return Object.is(parsed.value, -0) ? '-0' : String(parsed.value);
}

/** Converts a time to milliseconds, if the column has the format `unix_ms`. */
function timeText({ format }: Column, value: string): string | undefined {
  return format === 'unix_ms' ? parseInstant(value)?.toString() : undefined;
}

function bytesText({ identifierFormat: format }: Column, value: string): string | undefined {
  if (format === undefined) return parseBase64(value) && value;
  const bytes = parseIdentifier(
    format,
    format === 'ulid' ? value.toUpperCase() : value.toLowerCase(),
  );
  return bytes && formatBase64(bytes);
}

function unfit(column: Column, what: string): ReadCell {
  return trouble(`${named(column)}: expected ${typeText(column)}, got ${what}`);
}

function typeText({ type, format, identifierFormat }: Column): string {
  if (identifierFormat !== undefined) return `a ${identifierFormat} in quotes`;
  switch (type) {
    case 'text':
      return 'text in quotes';
    case 'int64':
      return format === 'unix_ms'
        ? 'an int64 or a time such as "2026-01-31T12:00:00Z"'
        : 'an int64 (an integer)';
    case 'float64':
      return 'a float64 (a decimal number)';
    case 'bool':
      return 'true or false';
    case 'bytes':
      return 'bytes as base64 in quotes';
  }
}

/** Formats a value for messages. A long value is cut. */
function shown({ kind, value }: Written): string {
  const text = String(value);
  const cut = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return kind === 'text' ? JSON.stringify(cut) : cut;
}

function named({ name }: Column): string {
  return `column "${name}"`;
}

function trouble(message: string): ReadCell {
  return { kind: 'trouble', message };
}
