/** Normalizes the addresses of clients, so that addresses of the operating system and of the listener can be compared. */

const ipv4 = 2;
const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i;

/** Returns the address in a `sockaddr_in` or `sockaddr_in6`. */
export function peerAddress(bytes: Uint8Array): string {
  if (bytes[0] === ipv4) return bytes.subarray(4, 8).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => groupAt(bytes, 8 + 2 * i));
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? bytes.subarray(20, 24).join('.') : compressed(groups.join(':'));
}

/** Normalizes an address of the listener in the same way. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  return mapped.exec(address)?.[1] ?? compressed(address);
}

function groupAt(bytes: Uint8Array, at: number): string {
  return (((bytes[at] as number) << 8) | (bytes[at + 1] as number)).toString(16);
}

/** Returns the address in the form of RFC 5952. */
function compressed(address: string): string {
  return URL.parse(`http://[${address}]/`)?.hostname ?? address;
}
