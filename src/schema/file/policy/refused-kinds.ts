/** Hints for expressions, operators and nodes of LIR that a policy cannot contain. */

type Hints = Readonly<Record<string, string>>;

export const expressionHints: Hints = {
  branch: 'write the cases with `and`, `or` and `not`',
  first: 'use one `exists` with a filter',
  scalar: 'use one `exists` with a filter',
  array: 'use one `exists` with a filter',
};

const canFail = 'a policy must not be able to fail, and arithmetic can overflow';

export const operatorHints: Hints = { add: canFail, sub: canFail, mul: canFail, div: canFail };

const onlySimple =
  'an `exists` reads scans, filters and inner joins, so each column belongs to one table';

export const nodeHints: Hints = {
  rows: onlySimple,
  project: onlySimple,
  concatenate: onlySimple,
  intersect: onlySimple,
  except: onlySimple,
  aggregate: onlySimple,
  order: onlySimple,
  slice: onlySimple,
  distinct: onlySimple,
  ref: onlySimple,
  recursive_ref: onlySimple,
};
