/** The rows of one client, which nobody else changes: what its answers are compared with. */

import type { Item } from './programs.ts';

/** Ids, stocks and tags of one client begin at a multiple of it. */
export const span = 100_000_000;

export class Partition {
  readonly base: number;
  /** By id less `base`; deleted ones are undefined. */
  private readonly rows: (Item | undefined)[] = [];
  /** Ids that exist, and where each stands among them. */
  private readonly ids: number[] = [];
  private readonly places = new Map<number, number>();
  /** Tags that rows have had and have no more. */
  private readonly freedTags: number[] = [];
  private tags = 0;
  private nextOffset = 0;
  /** Stocks are drawn from so many. */
  private readonly stocks: number;
  readonly unit: () => number;

  constructor(number: number, rows: number, unit: () => number) {
    this.base = number * span;
    this.stocks = Math.max(4, rows >> 3);
    this.unit = unit;
  }

  get(id: number): Item | undefined {
    return this.rows[id - this.base];
  }

  put(item: Item): void {
    if (!this.places.has(item.id)) {
      this.places.set(item.id, this.ids.length);
      this.ids.push(item.id);
    }
    this.rows[item.id - this.base] = item;
  }

  delete(id: number): void {
    const place = this.places.get(id) as number;
    const last = this.ids.pop() as number;
    if (last !== id) {
      this.ids[place] = last;
      this.places.set(last, place);
    }
    this.places.delete(id);
    this.rows[id - this.base] = undefined;
  }

  get size(): number {
    return this.ids.length;
  }

  /** By id. */
  *all(): Generator<Item> {
    for (const row of this.rows) if (row !== undefined) yield row;
  }

  where(isWanted: (item: Item) => boolean): Item[] {
    return this.rows.filter((row): row is Item => row !== undefined && isWanted(row));
  }

  between(from: number, to: number): Item[] {
    const cut = this.rows.slice(Math.max(0, from - this.base), Math.max(0, to - this.base));
    return cut.filter((row) => row !== undefined);
  }

  get endOfIds(): number {
    return this.base + this.nextOffset;
  }

  /** Some rows, each once. */
  some(count: number): Item[] {
    const found = new Set<number>();
    for (let i = 0; i < count; i++) found.add(this.ids[this.below(this.ids.length)] as number);
    return [...found].map((id) => this.get(id) as Item);
  }

  freshId(): number {
    return this.base + this.nextOffset++;
  }

  stock(): number {
    return this.base + this.below(this.stocks);
  }

  code(): string {
    const number = this.below(1_000_000);
    const forms = [`${number}`, `-${number}`, `+${number}`, `00${number}`];
    return forms[this.below(forms.length)] as string;
  }

  /** One that no row has, now and then one that a row had before. */
  freshTag(): number {
    const freed = this.unit() < 0.5 ? this.freedTags.pop() : undefined;
    return freed ?? this.base + this.tags++;
  }

  freeTag(tag: number): void {
    this.freedTags.push(tag);
  }

  below(count: number): number {
    return Math.floor(this.unit() * count);
  }
}
