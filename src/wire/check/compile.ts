/** Compiles a JSON Schema into a check, once at startup. The published schemas are therefore the rules that svc enforces. */

import { compileArray } from './array.ts';
import type { Check } from './check.ts';
import { type Definitions, definitionName, type JsonSchema } from './json-schema.ts';
import { compileClosed, compileMap } from './object.ts';
import {
  checkBoolean,
  compileConst,
  compileEnum,
  compileInteger,
  compileString,
  compileTypes,
} from './scalar.ts';
import { compileUnion } from './union.ts';

/** Additional checks by name of definition. Each runs only on values whose structure is valid. */
type Refinements = Readonly<Record<string, Check>>;

/** Returns the check of the definition `root`. */
export function compileDefinition(
  root: string,
  definitions: Definitions,
  refinements: Refinements = {},
): Check {
  return new Compiler(definitions, refinements).definition(root);
}

class Compiler {
  private readonly definitions: Definitions;
  private readonly refinements: Refinements;
  /** Checks by name of definition; `undefined` while the definition is being compiled, so that it can refer to itself. */
  private readonly done = new Map<string, Check | undefined>();

  constructor(definitions: Definitions, refinements: Refinements) {
    this.definitions = definitions;
    this.refinements = refinements;
  }

  definition(name: string): Check {
    const known = this.done.get(name);
    if (known !== undefined) return known;
    if (this.done.has(name)) return this.later(name);
    this.done.set(name, undefined);
    const check = this.refined(name, this.compile(this.named(name)));
    this.done.set(name, check);
    return check;
  }

  private later(name: string): Check {
    let check: Check | undefined;
    return (value, depth, report) => {
      check ??= this.done.get(name) as Check;
      check(value, depth, report);
    };
  }

  private refined(name: string, check: Check): Check {
    const refine = this.refinements[name];
    if (refine === undefined) return check;
    return (value, depth, report) => {
      const before = report.count;
      check(value, depth, report);
      if (report.count === before) refine(value, depth, report);
    };
  }

  private named(name: string): JsonSchema {
    const schema = this.definitions[name];
    if (schema === undefined) throw new Error(`no schema is named ${name}`);
    return schema;
  }

  private readonly compile = (schema: JsonSchema): Check => {
    if (schema.$ref !== undefined) return this.definition(definitionName(schema.$ref));
    if (schema.enum !== undefined) return compileEnum(schema.enum);
    if (schema.const !== undefined) return compileConst(schema.const);
    switch (schema.type) {
      case 'string':
        return compileString(schema);
      case 'integer':
        return compileInteger(schema);
      case 'boolean':
        return checkBoolean;
      case 'array':
        return compileArray(schema, this.compile(schema.items ?? {}));
      case 'object':
        return this.object(schema);
      case undefined:
        return schema.anyOf === undefined ? () => {} : this.union(schema.anyOf);
      default:
        return compileTypes([schema.type].flat());
    }
  };

  private object(schema: JsonSchema): Check {
    const { additionalProperties: others } = schema;
    if (typeof others === 'object') return compileMap(schema, this.compile(others));
    if (others === false) return compileClosed(schema, this.compile);
    return compileTypes(['object']);
  }

  private union(schemas: readonly JsonSchema[]): Check {
    return compileUnion(
      schemas.map((schema) => ({
        schema: schema.$ref === undefined ? schema : this.named(definitionName(schema.$ref)),
        check: this.compile(schema),
      })),
    );
  }
}
