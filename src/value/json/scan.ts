/** The scanner under the readers of JSON text: where strings, blanks and digits end. Offsets count UTF-16 units. */

const quote = 0x22;
const backslash = 0x5c;

/** The first quote, backslash or control character from `from` on; `stop` if there is none before it. */
export function plainEnd(text: string, from: number, stop: number): number {
  let at = from;
  for (; at < stop; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote || unit === backslash || !(unit >= 0x20)) break;
  }
  return at;
}

/** The quote that ends the characters from `from` on; -1 if it is not before `stop`, or an escape or a control character is. */
export function plainStringEnd(text: string, from: number, stop: number): number {
  const end = plainEnd(text, from, stop);
  return end < stop && text.charCodeAt(end) === quote ? end : -1;
}

/** The quote that ends the string whose opening quote is at `from`; the length of the text if there is none. Control characters are passed over. */
export function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) return at;
    if (unit === backslash) at++;
  }
  return text.length;
}

/** The first character from `from` on that is no white space; the length of the text if there is none. */
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

/** Defines the member where assigning would not: `__proto__` is a member like others. */
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
