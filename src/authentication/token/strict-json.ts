/** JSON objects whose meaning does not depend on the reader: valid UTF-8, and no member occurs twice. */

export type JsonObject = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the object, or `undefined` if the bytes are anything else. Parsers differ on which of two equal members they use. */
export function parseStrictObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const text = decoder.decode(bytes);
    const value: unknown = JSON.parse(text);
    return isObject(value) && !repeatsMember(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the member, or `undefined` if the object does not contain it. Inherited members do not count. */
export function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns whether an object of `text`, which is valid JSON, contains a member twice, also in different spellings. */
export function repeatsMember(text: string): boolean {
  /** The open objects with their members so far; `undefined` is an array. */
  const open: (Set<string> | undefined)[] = [];
  let isName = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '{' || character === '[') {
      isName = character === '{';
      open.push(isName ? new Set() : undefined);
    } else if (character === '}' || character === ']') open.pop();
    else if (character === ',') isName = open.at(-1) !== undefined;
    else if (character === '"') {
      const end = endOfString(text, i);
      const members = open.at(-1);
      if (isName && members !== undefined) {
        const name = JSON.parse(text.slice(i, end)) as string;
        if (members.has(name)) return true;
        members.add(name);
      }
      isName = false;
      i = end - 1;
    }
  }
  return false;
}

/** Returns the position behind the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i + 1;
}
