/**
 * A value that belongs to a request or to a response, as a property of that object. A `WeakMap` with all open requests
 * costs several times as much, for its entries and in each garbage collection.
 */
export class Mark<T> {
  private readonly key = Symbol();

  get(of: Request | Response): T | undefined {
    return (of as unknown as Partial<Record<symbol, T>>)[this.key];
  }

  set(of: Request | Response, value: T): void {
    (of as unknown as Record<symbol, T>)[this.key] = value;
  }
}
