export { ByteString, type Datum, type Row, type Scalar } from './datum.ts';
export {
  type DatumType,
  type IdentifierFormat,
  identifierFormats,
  isScalarType,
  type OutputColumn,
  type ScalarType,
  scalarTypes,
} from './types.ts';
