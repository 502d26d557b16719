/**
 * Statistics of tables and executions for the planner. They may be wrong or missing, and never change a result.
 *
 * `statistics.ts` is the interface to the planner. `counted.ts` implements it with entry counts of the store, `surveys.ts` with the results of
 * surveys. A *survey* (`survey/`) is a statistics job (an automatic ANALYZE): it reads a bounded part of a table in the background into *sketches*
 * (`sketch/`), which need little memory, and returns a *synopsis* (`synopsis/`). `archive/` stores synopses and models, `corpus/` stores programs
 * for replay, `feedback/` records the errors of estimates, and `report/` builds the response of `GET /statistics`. The planner receives the
 * statistics as an argument: the same statistics give the same plan.
 */

export { Archive } from './archive/archive.ts';
export { ModelShelf } from './archive/model-shelf.ts';
export { SynopsisShelf } from './archive/synopsis-shelf.ts';
export { Corpus } from './corpus/corpus.ts';
export { CorpusCourier, type ToldProgram } from './corpus/courier.ts';
export { isDocument } from './corpus/document.ts';
export type { Erased } from './corpus/erase.ts';
export type { Subject } from './feedback/channel.ts';
export {
  type Told,
  type ToldAppearance,
  type ToldFamily,
  toldAppearancesMax,
  toldExecutionsMax,
  toldFamiliesMax,
  toldPartsMax,
} from './feedback/exchange.ts';
export { Feedback, type FeedbackLimits } from './feedback/feedback.ts';
export type { ExecutionSample, Model } from './feedback/model.ts';
export type { Observation } from './feedback/observation.ts';
export type { PlanFeedback, Seen } from './feedback/published.ts';
export { workMembers } from './feedback/statement-work.ts';
export { modelReport } from './report/model-report.ts';
export { synopsisReport } from './report/synopsis-report.ts';
export { hashOfLiterals } from './sketch/value-hash.ts';
export type { RemoteReads, Statistics, Surveyed } from './statistics.ts';
export { surveyBytes, surveyTable } from './survey/survey.ts';
export { Surveys } from './surveys.ts';
export {
  distinctNow,
  equalShare,
  groupOf,
  nullShare,
  rangeShare,
  type SurveyedColumn,
  surveyedColumn,
  tupleShare,
} from './synopsis/shares.ts';
export type { ColumnSynopsis, GroupSynopsis, TableSynopsis } from './synopsis/synopsis.ts';
