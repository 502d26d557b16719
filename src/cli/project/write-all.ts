/** Writes all bytes or throws. On a nearly full device, the operating system can write fewer bytes than requested without an error. */

/** `writeSome` writes bytes from the front and returns their number, as `writeSync` does. */
export function writeAll(bytes: Uint8Array, writeSome: (rest: Uint8Array) => number): void {
  for (let written = 0; written < bytes.length; ) {
    const taken = writeSome(bytes.subarray(written));
    if (taken === 0) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
    written += taken;
  }
}
