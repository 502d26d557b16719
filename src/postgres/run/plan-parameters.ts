/** Computes the parameters of a plan from the values of an execution, so that the statement is not planned again. */

import type { PreparedProgram } from '#engine';
import type { Instance, StatementValues } from '#sql';
import type { Row, Scalar } from '#value';

type Plan = PreparedProgram['plan'];
type Parameter = Plan['parameters'][number];
type Source = NonNullable<Plan['sources'][number]>;

/** Returns the parameter, or `undefined` if the plan is not valid for the value. */
type Fill = (values: StatementValues) => Parameter | undefined;

export class PlanParameters {
  private readonly planned: readonly Parameter[];
  private readonly fills: readonly (Fill | undefined)[];

  /** `places` must belong to the instance from which the plan was made. */
  constructor({ parameters, sources }: Plan, places: Instance['places']) {
    this.planned = parameters;
    this.fills = sources.map((source, i) => {
      const fill = source && fillOf(source, places);
      return fill && sameForm(fill, parameters[i] as Parameter);
    });
  }

  /** Returns the parameters, or `undefined` if the plan is not valid for the values. */
  of(values: StatementValues): readonly Parameter[] | undefined {
    const parameters = this.planned.slice();
    for (let i = 0; i < parameters.length; i++) {
      const fill = this.fills[i];
      if (fill === undefined) continue;
      const value = fill(values);
      if (value === undefined) return undefined;
      parameters[i] = value;
    }
    return parameters;
  }
}

function fillOf(source: Source, places: Instance['places']): Fill | undefined {
  switch (source.kind) {
    case 'literal': {
      const place = places.get(source.literal);
      return place && ((values) => adopted(place(values) as Scalar, source.type));
    }
    case 'rows':
      return places.get(source.node);
    case 'count': {
      const place = places.get(source.node);
      const { member, from, to } = source;
      return place && ((values) => within(place(values, member) as Scalar, from, to));
    }
    case 'text_part': {
      const place = places.get(source.part);
      return place && ((values) => (place(values) as string) || undefined);
    }
  }
}

/** Returns the value as the type that the plan reads, or `undefined` if the type does not contain it. */
function adopted(value: Scalar, type: string): Scalar | undefined {
  if (type === 'float64') return typeof value === 'bigint' ? Number(value) : value;
  if (type !== 'int64' || typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return undefined;
}

function within(value: Scalar, from: number, to: number): number | undefined {
  const count = Number(value);
  return value !== null && count >= from && count <= to ? count : undefined;
}

/** The plan depends on which values are NULL and on the number of rows, because the planner derives facts from them. */
function sameForm(fill: Fill, planned: Parameter): Fill {
  return (values) => {
    const value = fill(values);
    if (value === undefined || (value === null) !== (planned === null)) return undefined;
    if (!Array.isArray(planned)) return value;
    return (value as readonly Row[]).length === planned.length ? value : undefined;
  };
}
