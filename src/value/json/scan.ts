/** The scanner of the readers of JSON text: finds where strings, white space and digits end. Offsets count UTF-16 units. */

const quote = 0x22;
const backslash = 0x5c;

/** Returns the first quote, backslash or control character from `from` on; `stop` if there is none before it. */
export function plainEnd(text: string, from: number, stop: number): number {
  let at = from;
  for (; at < stop; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote || unit === backslash || !(unit >= 0x20)) break;
  }
  return at;
}

/** Returns the quote that ends the characters from `from` on; -1 if an escape, a control character or `stop` comes first. */
export function plainStringEnd(text: string, from: number, stop: number): number {
  const end = plainEnd(text, from, stop);
  return end < stop && text.charCodeAt(end) === quote ? end : -1;
}

/**
 * Returns the quote that ends the string whose opening quote is at `from`; the length of the text if there is none. Ignores control
 * characters.
 */
export function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) return at;
    if (unit === backslash) at++;
  }
  return text.length;
}

/** Returns the first character from `from` on that is not white space; the length of the text if there is none. */
export function blankEnd(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

export function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Sets a member. Uses a definition for `__proto__`, where an assignment would set the prototype. */
export function setMember(holder: object, name: string, value: unknown): void {
  if (name !== '__proto__') (holder as Record<string, unknown>)[name] = value;
  else
    Object.defineProperty(holder, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}
