/** Expressions and columns of the kinds that there are: the same methods for each, written out. Types without parameters compile in a fraction of the time that generic ones take, and have plain names in messages. */

import certain from './runtime/kinds/certain.go' with { type: 'text' };
import column from './runtime/kinds/column.go' with { type: 'text' };
import expression from './runtime/kinds/expression.go' with { type: 'text' };
import nullableColumn from './runtime/kinds/nullable-column.go' with { type: 'text' };
import number from './runtime/kinds/number.go' with { type: 'text' };
import text from './runtime/kinds/text.go' with { type: 'text' };
import truth from './runtime/kinds/truth.go' with { type: 'text' };

interface Kind {
  readonly name: string;
  readonly go: string;
  readonly doc: string;
  /** What only this kind can do. */
  readonly more: readonly string[];
}

const list: readonly Kind[] = [
  { name: 'Int', go: 'int64', doc: 'an integer', more: [number] },
  { name: 'Float', go: 'float64', doc: 'a number', more: [number] },
  { name: 'Text', go: 'string', doc: 'a text', more: [text] },
  { name: 'Bool', go: 'bool', doc: 'a truth value', more: [truth] },
  { name: 'Bytes', go: '[]byte', doc: 'bytes', more: [] },
  { name: 'UUID', go: 'UUID', doc: 'a UUID', more: [] },
  { name: 'ULID', go: 'ULID', doc: 'a ULID', more: [] },
  { name: 'XID', go: 'XID', doc: 'an XID', more: [] },
  { name: 'Time', go: 'time.Time', doc: 'a time', more: [] },
];

/** Text of Go without a package, in which the placeholders of a template are those of one type. */
function filled(
  template: string,
  { name, go, doc }: Kind,
  isNullable: boolean,
  own = `${isNullable ? 'Null' : ''}${name}`,
): string {
  return template
    .replace(/^package svc\n/, '')
    .replaceAll('KindDoc', isNullable ? `${doc}, or NULL` : `${doc}, never NULL`)
    .replace(/Kind(?=Expr|Col)/g, own)
    .replaceAll('KindValue', go)
    .replaceAll('KindResult', isNullable ? `Null[${go}]` : go)
    .replaceAll('SureExpr', `${name}Expr`)
    .replaceAll('NullExpr', `Null${name}Expr`)
    .replaceAll(
      'kindCodec',
      `${name === name.toUpperCase() ? name.toLowerCase() : name.charAt(0).toLowerCase() + name.slice(1)}Codec`,
    )
    .replaceAll('kindRead', isNullable ? 'readNull' : 'read')
    .trim();
}

/** Text of a Go file. */
export function kinds(): string {
  const soft: Kind = {
    ...{ name: 'Int', go: 'int64', more: [] },
    doc: 'a count, which the server cannot know to be there: no column without NULL takes it as it is, OrElse makes it fit; it is',
  };
  const parts = list.flatMap((kind) =>
    [false, true].flatMap((isNullable) =>
      [expression, certain, ...kind.more, isNullable ? nullableColumn : column].map((template) =>
        filled(template, kind, isNullable),
      ),
    ),
  );
  return ['package svc', ...parts, filled(expression, soft, false, 'Soft'), ''].join('\n\n');
}
