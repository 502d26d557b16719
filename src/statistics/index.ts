/**
 * What is known of the rows of tables, for the planner: numbers that may be wrong or missing, and never change an answer.
 *
 * `statistics.ts` is what the planner asks; `counted.ts` answers from what the store has counted anyway, `surveys.ts` from what surveys have found:
 * `archive/` keeps those in the store, `corpus/` keeps programs for replay, `feedback/` how estimates have turned out, `report/` shows all of it. A *survey* (`survey/`) reads a bounded part of a table in the background, into *sketches* (`sketch/`) that need little memory, and leaves a
 * *synopsis* (`synopsis/`). The planner gets them as an argument: the same statistics give the same plan.
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
export type { Execution, Model } from './feedback/model.ts';
export type { Observation } from './feedback/observation.ts';
export type { Experience, Seen } from './feedback/published.ts';
export { workMembers } from './feedback/work.ts';
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
