/**
 * Dependencies between transactions, and cycles among them: the names are those of Adya ("Weak Consistency", 1999) as Elle
 * (Kingsbury and Alvaro, VLDB 2020) uses them.
 */

/** `ww`: overwrote it. `wr`: read it. `rw`: overwrote what was read. `rt`: began after it had been answered. */
export type Dependency = 'ww' | 'wr' | 'rw' | 'rt';

export class DependencyGraph {
  readonly size: number;
  private readonly next: Map<number, Dependency>[];

  constructor(size: number) {
    this.size = size;
    this.next = Array.from({ length: size }, () => new Map());
  }

  /** The first kind given for a pair stays: add the strongest first. */
  add(from: number, to: number, kind: Dependency): void {
    if (from === to) return;
    const targets = this.successors(from);
    if (!targets.has(to)) targets.set(to, kind);
  }

  successors(of: number): Map<number, Dependency> {
    return this.next[of] as Map<number, Dependency>;
  }

  /** A shortest cycle of each strongly connected component, as nodes in order. */
  cycles(): number[][] {
    return this.components()
      .filter((component) => component.length > 1)
      .map((component) => this.shortestCycle(new Set(component)));
  }

  /** What a cycle is called. */
  nameOf(cycle: readonly number[]): string {
    const kinds = cycle.map((node, i) =>
      this.kindOf(node, cycle[(i + 1) % cycle.length] as number),
    );
    const suffix = kinds.includes('rt') ? '-realtime' : '';
    const overwrites = kinds.filter((kind) => kind === 'rw').length;
    if (overwrites > 1) return `G2${suffix}`;
    if (overwrites === 1) return `G-single${suffix}`;
    return `${kinds.includes('wr') ? 'G1c' : 'G0'}${suffix}`;
  }

  kindOf(from: number, to: number): Dependency {
    return this.successors(from).get(to) as Dependency;
  }

  /** Tarjan's algorithm with a stack of its own. */
  private components(): number[][] {
    const index = new Int32Array(this.size).fill(-1);
    const low = new Int32Array(this.size);
    const isOpen = new Uint8Array(this.size);
    const open: number[] = [];
    const found: number[][] = [];
    let counter = 0;
    const enter = (node: number) => {
      index[node] = low[node] = counter++;
      open.push(node);
      isOpen[node] = 1;
      return { node, rest: this.successors(node).keys() };
    };
    for (let root = 0; root < this.size; root++) {
      if (index[root] !== -1) continue;
      const path = [enter(root)];
      for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
        const { node, rest } = top;
        const { value, done } = rest.next();
        if (!done) {
          if (index[value] === -1) path.push(enter(value));
          else if (isOpen[value]) low[node] = Math.min(low[node] ?? 0, index[value] as number);
          continue;
        }
        path.pop();
        const parent = path.at(-1)?.node;
        if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[node] ?? 0);
        if (low[node] === index[node]) found.push(close(node));
      }
    }
    return found;

    function close(root: number): number[] {
      const component: number[] = [];
      for (;;) {
        const node = open.pop() as number;
        isOpen[node] = 0;
        component.push(node);
        if (node === root) return component;
      }
    }
  }

  /** Breadth first from each node of the component. */
  private shortestCycle(component: ReadonlySet<number>): number[] {
    let best: number[] | undefined;
    for (const start of component) {
      const cycle = this.cycleThrough(start, component);
      if (cycle !== undefined && (best === undefined || cycle.length < best.length)) best = cycle;
      if (best?.length === 2) break;
    }
    return best ?? [];
  }

  private cycleThrough(start: number, component: ReadonlySet<number>): number[] | undefined {
    const cameFrom = new Map<number, number>();
    const queue = [start];
    for (const node of queue) {
      for (const target of this.successors(node).keys()) {
        if (target === start) return pathTo(node);
        if (!component.has(target) || cameFrom.has(target)) continue;
        cameFrom.set(target, node);
        queue.push(target);
      }
    }
    return undefined;

    function pathTo(last: number): number[] {
      const path = [last];
      while (path[0] !== start) path.unshift(cameFrom.get(path[0] as number) as number);
      return path;
    }
  }
}
