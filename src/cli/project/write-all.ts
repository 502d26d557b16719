/** All bytes of a text, or an error: on a device that is nearly full the system takes a part of them and says nothing but how many. */

/** `writeSome` takes bytes from the front and answers how many it took, as `writeSync` does. */
export function writeAll(bytes: Uint8Array, writeSome: (rest: Uint8Array) => number): void {
  for (let written = 0; written < bytes.length; ) {
    const taken = writeSome(bytes.subarray(written));
    if (taken === 0) throw new Error(`only ${written} of ${bytes.length} bytes were taken`);
    written += taken;
  }
}
