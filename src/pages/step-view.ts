/** What the template of a step with a form gets. */
import type { Attempt } from '../pages-kit/attempt.js';

export interface StepView {
  /** Also the title of the document. */
  title: string;
  /** A form that was refused: what was typed, and what is wrong with it. */
  attempt: Attempt | null;
}
