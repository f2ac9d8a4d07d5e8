/** The user name of a new account. */
import { attempted, input, type Html, type StepView, type TemplatePage } from '../template.js';

/** @param isRequired whether the address is optional instead. */
export function usernameField(
  { texts }: TemplatePage,
  { attempt }: Pick<StepView, 'attempt'>,
  isRequired = false,
): Html {
  return input({
    ...attempted(attempt, 'username'),
    label: texts.username,
    ...(!isRequired && { optional: texts.optional }),
    autocomplete: 'off',
    maxLength: 32,
  });
}
