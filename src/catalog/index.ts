/**
 * The catalog: the tables, their changes, and the encoding of catalog records.
 *
 * Terms: catalog, table, column, index and foreign key are immutable records that refer to each other by stable schema id (`table.ts`). A change
 * (`definition.ts`) makes a new catalog that is one version higher, and lists the data work that goes with it (`effect.ts`). Names are only for people: no
 * stored key depends on one. Schema ids and physical ids are never reused, so leftover cells in old rows never acquire a new meaning. Everything here is
 * pure. Data derived from a record is cached for the lifetime of the record.
 *
 * Start with `table.ts`, then `change/apply.ts`. The encoding on disk begins in `stored/keys.ts`; the rows of tables belong to the module `layout`.
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
export { canonicalText, isSamePolicies, policyHash } from './policy/canonical-policies.ts';
export { namedCondition, namedPolicies } from './policy/named-policies.ts';
export type * from './policy/policy.ts';
export { claimTypes, policyActions, rowScope } from './policy/policy.ts';
export { conditionFor, hasPolicy } from './policy/rule.ts';
export { usesOf } from './policy/uses.ts';
export { withReferences } from './policy/walk-policy.ts';
export { canonicalSchema, schemaHash } from './rendering/canonical.ts';
export { toPolicyDocument } from './rendering/policy-document.ts';
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
export { corrupt, decodeFrame, encodeFrame } from './stored/frame.ts';
export {
  type CatalogMode,
  type DatabaseIdentity,
  decodeIdentity,
  encodeIdentity,
  type Feature,
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
  apiKeyIdIn,
  apiKeyKey,
  apiKeyRange,
  catalogKey,
  identityKey,
  incrementMarkKey,
  keysHeadKey,
  keyUseKey,
  keyUseRange,
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
