/** The blocks of addresses that one client can use: an IPv4 address, an IPv6 network of 64 bits and one of 48 bits. */

export interface AddressBlock {
  readonly key: string;
  /** How many times the limit of one client applies. */
  readonly factor: number;
}

const siteFactor = 10;
/** Longer texts are not addresses. */
const lengthMax = 64;
const ipv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** A text that is not an address is one block. */
export function blocksOf(address: string): readonly AddressBlock[] {
  const groups = address.includes(':') ? groupsOf(address) : undefined;
  if (groups === undefined) return [{ key: address.slice(0, lengthMax), factor: 1 }];
  if (isMapped(groups)) return [{ key: ipv4Text(groups), factor: 1 }];
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return [
    { key: `${network.join(':')}/64`, factor: 1 },
    { key: `${network.slice(0, 3).join(':')}/48`, factor: siteFactor },
  ];
}

/** Returns the eight groups of an IPv6 address, or `undefined` if the text is not one. A zone is ignored. */
function groupsOf(address: string): readonly number[] | undefined {
  const halves = (address.split('%', 1)[0] as string).split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(partOf);
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...head, ...new Array<number>(missing).fill(0), ...(tail ?? [])];
}

/** Returns the groups on one side of `::`. The last one can be an IPv4 address, which is two groups. */
function partOf(text: string): readonly number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  for (const word of text.split(':')) {
    if (ipv4.test(word)) {
      const [a, b, c, d] = word.split('.').map(Number) as [number, number, number, number];
      groups.push(a * 256 + b, c * 256 + d);
    } else if (/^[0-9a-f]{1,4}$/i.test(word)) groups.push(Number.parseInt(word, 16));
    else return undefined;
  }
  return groups;
}

/** Returns whether the address is an IPv4 address mapped into IPv6 (`::ffff:0:0/96`). */
function isMapped(groups: readonly number[]): boolean {
  return groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
}

function ipv4Text(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}
