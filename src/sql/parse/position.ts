/** Positions in a text: nodes of a tree count bytes of UTF-8 from 0, errors count characters from 1, and JavaScript counts UTF-16 units. */

/** A location of a node. The parser omits 0, and writes -1 if there is no location. */
export type NodeLocation = number | undefined;

/** Returns the position of a node for an error; `undefined` if the node has no location. */
export function positionOf(text: string, location: NodeLocation): number | undefined {
  return location !== undefined && location < 0
    ? undefined
    : walk(text, location ?? 0).characters + 1;
}

/** Returns the index of a node in the text, in UTF-16 units. */
export function unitOf(text: string, location: NodeLocation): number {
  return walk(text, Math.max(location ?? 0, 0)).units;
}

/** Returns the position of the character at an index of UTF-16 units. */
export function positionOfUnit(text: string, unit: number): number {
  let characters = 1;
  for (let at = 0; at < unit; at++) characters += isLowSurrogate(text, at) ? 0 : 1;
  return characters;
}

function walk(text: string, bytes: number): { units: number; characters: number } {
  let [units, characters] = [0, 0];
  for (let left = bytes; left > 0 && units < text.length; characters++) {
    const code = text.codePointAt(units) as number;
    left -= code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    units += code < 0x10000 ? 1 : 2;
  }
  return { units, characters };
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
