/** Descriptors of connections that were looked for lately: a client that asks once asks again, and looking through all of them takes milliseconds. */

const keptMax = 1024;

export class RecentDescriptors {
  /** By the port of the client, the oldest first. */
  private readonly descriptors = new Map<number, number>();

  /** Undefined if there is none, or `isStillIt` refuses it: the number may be of another connection by now. */
  find(clientPort: number, isStillIt: (descriptor: number) => boolean): number | undefined {
    const descriptor = this.descriptors.get(clientPort);
    if (descriptor === undefined || isStillIt(descriptor)) return descriptor;
    this.descriptors.delete(clientPort);
    return undefined;
  }

  add(clientPort: number, descriptor: number): void {
    this.descriptors.set(clientPort, descriptor);
    if (this.descriptors.size <= keptMax) return;
    const [oldest] = this.descriptors.keys();
    this.descriptors.delete(oldest as number);
  }
}
