/**
 * Caches the descriptors of recently found connections. A client that needed one lookup needs more, and a search of all
 * descriptors takes milliseconds.
 */

const keptMax = 1024;

export class RecentDescriptors {
  /** Descriptors by client port, the oldest first. */
  private readonly descriptors = new Map<number, number>();

  /** Returns the descriptor of a client port. Returns `undefined` if there is none, or if `isStillIt` rejects it: the number may belong to another connection by now. */
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
