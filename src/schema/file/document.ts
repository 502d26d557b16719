/** Parses the text of a schema file into its root node. All features of YAML beyond plain data are refused. */

import {
  Composer,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  type Node,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { Findings } from './findings.ts';
import { FlowLines } from './flow-lines.ts';
import type { Spot } from './source.ts';
import { tokensOf } from './tokens.ts';

/** Returns the root of the document, `undefined` if the YAML is unusable, which `findings` then reports. */
export function readDocument(findings: Findings): Node | undefined {
  const { source } = findings;
  const lines = FlowLines.in(source.text);
  if (!lines.isEmpty) {
    const attempt = new Findings(source);
    const root = readAround(lines, attempt);
    if (!attempt.hasErrors && lines.isWhole) return root;
  }
  // Errors are reported for the unmodified text.
  return readAround(FlowLines.none(source.text), findings);
}

function readAround(lines: FlowLines, findings: Findings): Node | undefined {
  const { text } = lines;
  const tokens = tokensOf(text, findings);
  if (tokens === undefined) return undefined;
  // The reader finds repeated members in one pass. The library would compare all pairs.
  const composer = new Composer({ uniqueKeys: false, intAsBigInt: true, version: '1.2' });
  const documents = [...composer.compose(tokens, true, text.length)] as Document.Parsed[];
  for (const { errors } of documents) for (const error of errors) syntaxError(error, findings);
  const extras = documents.flatMap((document) => extrasOf(document, lines));
  if (findings.hasErrors) return undefined;
  const [document, second] = documents;
  if (second !== undefined) {
    const spot = spotOf(second.contents) ?? { from: second.range[0], to: second.range[1] };
    findings.shape(spot, 'the file has more than one YAML document');
    return undefined;
  }
  refuseDirectives(document as Document.Parsed, findings);
  for (const { what, spot } of extras) refuse(what, spot, findings);
  return findings.hasErrors ? undefined : (document?.contents ?? undefined);
}

function syntaxError(error: YAMLError, findings: Findings): void {
  const [from, to] = error.pos;
  const hint = syntaxHints[error.code];
  findings.shape({ from, to: Math.max(to, from + 1) }, error.message, hint);
}

const syntaxHints: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_INDENT: 'the members of one mapping start in the same column',
  MULTIPLE_DOCS: 'a schema file is one YAML document',
  BAD_ALIAS: 'put the text in quotes',
};

/** Reports YAML directives. Like anchors, aliases and tags, they can change the meaning of a text or expand a small file into a large one. */
function refuseDirectives(document: Document.Parsed, findings: Findings): void {
  const { text } = findings.source;
  const directive = /^%.*/m.exec(text.slice(0, document.contents?.range?.[0] ?? text.length));
  if (directive !== null) {
    const spot = { from: directive.index, to: directive.index + directive[0].length };
    findings.shape(spot, 'YAML directives are not allowed in a schema file');
  }
}

interface Extra {
  readonly what: 'aliases' | 'anchors' | 'tags';
  readonly spot: Spot;
}

/** Returns the aliases, anchors and tags of a document. Also fills the mappings of extracted lines, whose members are plain. */
function extrasOf(document: Document.Parsed, lines: FlowLines): readonly Extra[] {
  const extras: Extra[] = [];
  eachNode(document.contents, (node) => {
    if (isMap(node) && lines.fill(node as YAMLMap.Parsed)) return false;
    const spot = spotOf(node) ?? { from: 0, to: 1 };
    if (isAlias(node)) extras.push({ what: 'aliases', spot });
    else if (node.anchor !== undefined) extras.push({ what: 'anchors', spot });
    else if (node.tag !== undefined) extras.push({ what: 'tags', spot });
    return true;
  });
  return extras;
}

/** Visits a node and then its members, unless `see` returns false. The visitor of the library copies the path of each node, a quarter of all time. */
function eachNode(node: unknown, see: (node: Node) => boolean): void {
  if (!isNode(node) || !see(node) || !isCollection(node)) return;
  for (const item of node.items) {
    if (isPair(item)) {
      eachNode(item.key, see);
      eachNode(item.value, see);
    } else eachNode(item, see);
  }
}

function refuse(what: string, spot: Spot, findings: Findings): void {
  findings.shape(
    spot,
    `YAML ${what} are not allowed in a schema file`,
    'write the value itself instead',
  );
}

/** Returns the range of a node, without surrounding space and comments. */
export function spotOf(node: unknown): Spot | undefined {
  if (!isNode(node) || !node.range) return undefined;
  const [from, to] = node.range;
  return { from, to: Math.max(to, from + 1) };
}
