/** Decodes the bytes of a schema file. Content that is not plain UTF-8 text is reported at its position. */

import { firstIndex, withoutByteOrderMark } from '#base';
import type { Findings } from './findings.ts';
import { SchemaSource } from './source.ts';

const schemaBytesMax = 2 ** 20;

/** Returns the text of a file without a byte order mark. Bytes that are not UTF-8 become U+FFFD, and `checkText` reports them. */
function decodeFile(content: string | Uint8Array): string {
  const text = typeof content === 'string' ? content : new TextDecoder().decode(content);
  return withoutByteOrderMark(text);
}

/** Checks the size and the characters of a file. Returns false if the file must not be parsed. */
export function checkText(content: string | Uint8Array, findings: Findings): boolean {
  const { text } = findings.source;
  const bytes = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  if (bytes > schemaBytesMax) {
    const spot = { from: 0, to: 1 };
    findings.shape(spot, `the file has ${bytes} bytes, at most ${schemaBytesMax} are allowed`);
    return false;
  }
  const broken = brokenAt(content, text);
  if (broken !== undefined) {
    findings.shape({ from: broken, to: broken + 1 }, 'the file is not UTF-8', 'save it as UTF-8');
    return false;
  }
  if (refuseConflicts(text, findings)) return false;
  const control = text.search(controlCharacter);
  if (control < 0) return true;
  const code = text.charCodeAt(control).toString(16).toUpperCase().padStart(4, '0');
  const spot = { from: control, to: control + 1 };
  const hint = `write it as "\\u${code}" in double quotes`;
  findings.shape(spot, `control character U+${code} in the file`, hint);
  return false;
}

/** Reports each git conflict once, at its first marker. YAML errors of the markers would not help. Returns whether the file has a conflict. */
function refuseConflicts(text: string, findings: Findings): boolean {
  const found = [...text.matchAll(conflictStart)];
  for (const { index, 0: mark } of found) {
    const line = text.slice(0, index).split('\n').length;
    const spot = { from: index, to: index + mark.length };
    findings.error(spot, `line ${line}: unresolved git conflict; resolve it`);
  }
  return found.length > 0;
}

/** The marker at the start of a line; no line of a schema begins like that. */
const conflictStart = /^<{7}(?= |\r?$)/gm;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for them
const controlCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** Returns the offset in `text` at which the content is not valid Unicode; `undefined` if all of it is. */
function brokenAt(content: string | Uint8Array, text: string): number | undefined {
  if (typeof content === 'string') {
    return text.isWellFormed() ? undefined : text.search(loneSurrogate);
  }
  if (isUtf8(content, 'whole')) return undefined;
  const isInvalid = (length: number) => !isUtf8(content.subarray(0, length), 'cut');
  const valid = firstIndex(1, content.length + 1, isInvalid) - 1;
  return decodeFile(content.subarray(0, valid)).replace(/\ufffd$/, '').length;
}

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Returns whether the bytes are UTF-8. With `cut`, an incomplete character at the end is allowed. */
function isUtf8(bytes: Uint8Array, extent: 'whole' | 'cut'): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: extent === 'cut' });
    return true;
  } catch {
    return false;
  }
}

export function sourceOf(name: string, content: string | Uint8Array): SchemaSource {
  return new SchemaSource(name, decodeFile(content));
}
