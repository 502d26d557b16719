/**
 * The catalog: what tables there are, how they change, and how their rows become bytes.
 *
 * Nouns: catalog, table, column, index and foreign key are immutable records that refer to each other by stable schema id
 * (`table.ts`); a change (`definition.ts`) makes a new catalog of a catalog, one version higher, and names the work on the
 * data that goes with it (`effect.ts`). Names are only for people: no
 * stored key depends on one. Ids, schema and physical, are never reused, so what old rows hold stays without meaning.
 * Everything here is pure, and what is derived from a record is kept as long as the record.
 *
 * Start with `table.ts`, then `change/apply.ts`; bytes on disk begin in `stored/keys.ts`, and the rows of tables in the room `layout`.
 */

export { applyChange } from './change/apply.ts';
export { type DeclaredTable, declareCatalog, declareCatalogSteps } from './change/declare.ts';
export { checkDefault, isSameDefault } from './change/default.ts';
export {
  generatedForeignKeyName,
  generatedIndexName,
  generatedNotNullName,
  nameTrouble,
} from './change/name.ts';
export type * from './definition.ts';
export { foreignKeyActions, generatorFunctions } from './definition.ts';
export type { CatalogEffect } from './effect.ts';
export { inboundOf } from './inbound.ts';
export { catalogLimits, tooMany } from './limits.ts';
export {
  columnById,
  columnByName,
  columnNames,
  columnOrdinal,
  columnsOf,
  emptyCatalog,
  foreignKeyByName,
  indexByName,
  tableById,
  tableByName,
} from './lookup.ts';
export { anyone, OpenPrincipal, type Principal } from './principal.ts';
export { canonicalSchema, schemaHash } from './rendering/canonical.ts';
export {
  type TableInfo,
  toSchemaDocument,
  toTableInfo,
} from './rendering/table-info.ts';
export { areaOfKey } from './stored/area.ts';
export { decodeCatalog, encodeCatalog } from './stored/catalog-record.ts';
export {
  type CatalogWrite,
  catalogCommitWrites,
  requireRecordFits,
  requireRevisionsFit,
} from './stored/commit.ts';
export {
  type CatalogMode,
  type DatabaseIdentity,
  decodeIdentity,
  encodeIdentity,
} from './stored/identity.ts';
export { decodeIncrementMark, encodeIncrementMark } from './stored/increment-mark.ts';
export {
  appendPrefix,
  keyPrefix,
  keySpaces,
  prefixRange,
  rangesOfPhysicalId,
  startKey,
  tupleFrom,
} from './stored/key-space.ts';
export {
  catalogKey,
  identityKey,
  incrementMarkKey,
  reclamationKey,
  reclamationRange,
  revisionKey,
  revisionRange,
  sameRowsKey,
  transitionKey,
  transitionRange,
} from './stored/keys.ts';
export {
  decodeReclamation,
  encodeReclamation,
  type Reclamation,
} from './stored/reclamation.ts';
export { renderAheadSteps } from './stored/render-ahead.ts';
export { checkRevision, decodeRevision } from './stored/revision.ts';
export type { Catalog, Table } from './table.ts';
export type { Column, Default, ForeignKey, Index } from './table-parts.ts';
export {
  type LiveTransition,
  liveTransition,
  liveTransitions,
  stateOf,
} from './transition/admission.ts';
export { matchingTransition } from './transition/match.ts';
export {
  endedTransitionsMax,
  endTransition,
  moveTransition,
  publishTransition,
} from './transition/move.ts';
export {
  isGated,
  type ShadowColumn,
  writeProtocol,
} from './transition/protocol.ts';
export {
  decodeTransition,
  encodeTransition,
  parseTransitionId,
  type TransitionControl,
  type TransitionRecord,
  transitionControl,
  transitionIdText,
} from './transition/record.ts';
export {
  isSameColumn,
  relaxedColumn,
  startTransition,
  troubleAtActivation,
} from './transition/start.ts';
export { namesOf, subjectOf } from './transition/subject.ts';
export {
  affectedColumns,
  type EndState,
  isEnded,
  type PendingConstraint,
  pendingForeignKeys,
  physicalIdOf,
  type Transition,
  type TransitionKind,
  type TransitionState,
  transitionKinds,
  transitionStates,
} from './transition/transition.ts';
