/** Models by family, at most 4,096. The least used ones are evicted first. */

import { Frequencies } from '../sketch/frequencies.ts';
import { Model } from './model.ts';

const modelsMax = 4_096;
/** Number of eviction candidates that are selected together. Scanning all models for each new family would take longer than running its query. */
const coldestMax = 64;

interface Cold {
  readonly model: Model;
  readonly executions: number;
}

export class Registry {
  evicted = 0;
  private readonly models = new Map<string, Model>();
  /** Frequencies of families in queries, including families without a model. */
  private readonly frequencies = new Frequencies(modelsMax);
  /** Eviction candidates, the least used one last, with their execution counts when they were selected. */
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

  /** Returns the model of the family, and creates it if it does not exist. */
  of(kind: Model['kind'], family: string): Model {
    const known = this.models.get(family);
    if (known !== undefined) return known;
    if (this.models.size >= modelsMax) this.evict();
    const model = new Model(kind, family);
    this.models.set(family, model);
    return model;
  }

  /** Counts that the family of the model occurred in an executed query. */
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
      // A candidate may have been evicted, or used since it was selected.
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
