/**
 * The values of a database.
 *
 * Terms: a datum is a scalar, NULL, a row as values in column order, or an array of rows. A type gives a datum its meaning, since data do
 * not contain their types. An identifier is the bytes of a UUID, ULID or XID. An int64 is a number while it is a safe integer and a bigint
 * beyond, so that `===`, `<` and Map keys work for both. A float64 is finite. Text is well-formed Unicode.
 *
 * This module contains the order and identity of values, arithmetic and casts, conversions, folds, literals and text matching. The module also
 * contains the order-preserving key encoding, and the encoding and parsing of JSON. Errors that a request can cause are returned as results,
 * except that arithmetic and functions throw `EvaluationFailure`.
 *
 * Start with datum.ts, types.ts and compare.ts.
 */

export { float64ToInt64, int64ToFloat64 } from './arithmetic/cast.ts';
export { EvaluationFailure } from './arithmetic/failure.ts';
export {
  addFloat64,
  divideFloat64,
  finiteFold,
  multiplyFloat64,
  subtractFloat64,
} from './arithmetic/float64.ts';
export {
  addInt64,
  divideInt64,
  type Int64,
  int64Max,
  int64Min,
  multiplyInt64,
  negateInt64,
  subtractInt64,
  toInt64,
} from './arithmetic/int64.ts';
export { formatBase64, isBase64, parseBase64 } from './base64.ts';
export {
  comparatorOf,
  compareNumbers,
  compareText,
  valueComparatorOf,
} from './compare.ts';
export {
  type Converter,
  conversionTrouble,
  isConvertible,
  strictConverterOf,
} from './conversion/strict.ts';
export { ByteString, type Datum, type Row, type Scalar } from './datum.ts';
export { type DefaultLiteral, parseDefaultLiteral } from './default-literal.ts';
export type { Apply } from './functions/overload.ts';
export {
  type ArgumentKind,
  argumentType,
  type FunctionName,
  functionNames,
  functions,
  overloadFor,
  signaturesOf,
} from './functions/registry.ts';
export {
  formatBytes,
  formatIdentifier,
  identifierLength,
  parseIdentifier,
} from './identifier/format.ts';
export { IdentifierGenerator } from './identifier/generator.ts';
export {
  datumKeyOf,
  type IdentityKey,
  identityPartOf,
} from './identity.ts';
export { encodeResult } from './json/encode.ts';
export { encodeInPieces, isLightResult } from './json/encode-in-pieces.ts';
export { ExactNumber } from './json/exact-number.ts';
export { formatFloat64 } from './json/number-text.ts';
export { parseJsonSteps, parseShortJson, shortJsonLength } from './json/parse.ts';
export type { ParsedJson } from './json/parsed-json.ts';
export { PieceWriter } from './json/piece-writer.ts';
export { isDigit, plainStringEnd, stringEnd } from './json/scan.ts';
export { encodeText } from './json/text.ts';
export { TextRows } from './json/text-rows.ts';
export { decodeKeyMember, skipKeyMember, skipKeyMembers } from './key/decode.ts';
export { appendKey, appendKeyMember } from './key/encode.ts';
export { nullTag } from './key/tags.ts';
export {
  cellParserOf,
  isInt64Text,
  parseCell,
  parseFloat64,
  parseInt64,
  parseLiteral,
} from './literal.ts';
export { CellReader } from './text-cells.ts';
export {
  piecesOf,
  textMatcherOf,
} from './text-match/match.ts';
export { parseInstant } from './time/instant.ts';
export {
  type DatumType,
  type IdentifierFormat,
  identifierFormats,
  isScalarType,
  type OutputColumn,
  type ScalarType,
  scalarTypes,
} from './types.ts';
