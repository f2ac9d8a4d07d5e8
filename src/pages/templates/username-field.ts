/** The user name of a new account. */
import { attempted, input, type Html, type StepView, type TemplatePage } from '../template.js';

export function usernameField({ texts }: TemplatePage, { attempt }: Pick<StepView, 'attempt'>): Html {
  return input({
    ...attempted(attempt, 'username'),
    label: texts.username,
    optional: texts.optional,
    autocomplete: 'off',
    maxLength: 32,
  });
}
