/** Models by family: 4,096 at most, of which the coldest go. */

import { Frequencies } from '../sketch/frequencies.ts';
import { Model } from './model.ts';

const modelsMax = 4_096;
/** So many are looked for at a time: to look at all models for each family that comes once would take longer than to run it. */
const coldestMax = 64;

interface Cold {
  readonly model: Model;
  readonly executions: number;
}

export class Registry {
  evicted = 0;
  private readonly models = new Map<string, Model>();
  /** Of families in queries, whether there is a model of them or not. */
  private readonly frequencies = new Frequencies(modelsMax);
  /** The coldest last, as they were when they were looked for. */
  private coldest: Cold[] = [];

  get size(): number {
    return this.models.size;
  }

  values(): Iterable<Model> {
    return this.models.values();
  }

  get(family: string): Model | undefined {
    return this.models.get(family);
  }

  /** The model of the family, which is made where there is none. */
  of(kind: Model['kind'], family: string): Model {
    const known = this.models.get(family);
    if (known !== undefined) return known;
    if (this.models.size >= modelsMax) this.evict();
    const model = new Model(kind, family);
    this.models.set(family, model);
    return model;
  }

  /** The family of the model stands somewhere in a query that was executed. */
  appeared({ lanes }: Model, times = 1): void {
    this.frequencies.add(lanes, times);
  }

  frequencyOf({ lanes }: Model): number {
    return this.frequencies.of(lanes);
  }

  halve(): void {
    this.frequencies.halve();
  }

  private evict(): void {
    for (;;) {
      if (this.coldest.length === 0) this.coldest = this.lookForColdest();
      const { model, executions } = this.coldest.pop() as Cold;
      // Some have become warmer, or are gone.
      if (model.isEvicted || model.executions !== executions) continue;
      model.isEvicted = true;
      this.models.delete(model.family);
      this.evicted++;
      return;
    }
  }

  private lookForColdest(): Cold[] {
    return [...this.models.values()]
      .map((model) => ({
        model,
        executions: model.executions,
        frequency: this.frequencies.of(model.lanes),
      }))
      .sort(
        (a, b) =>
          a.frequency - b.frequency ||
          a.executions - b.executions ||
          (a.model.family < b.model.family ? -1 : 1),
      )
      .slice(0, coldestMax)
      .reverse();
  }
}
