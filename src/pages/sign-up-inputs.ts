/** The application's fields of a sign-up as inputs, or its slot in their place. */
import { html, type Html } from '../html/html.js';
import { checkBox, input, select, textArea } from '../pages-kit/fields.js';
import { attempted } from './form.js';
import type { CompleteSignUpView, SignUpFieldView, TemplatePage } from './views.js';

export function signUpFields(
  { language, slots, texts }: Pick<TemplatePage, 'language' | 'slots' | 'texts'>,
  { attempt, fields }: Pick<CompleteSignUpView, 'attempt' | 'fields'>,
): Html {
  if (slots.signUp) return slots.signUp({ language, attempt });
  return html`${fields.map((field) => inputOf(field))}`;

  function inputOf({
    name,
    type,
    label,
    help,
    isRequired,
    choices,
    autocomplete,
    maxLength,
  }: SignUpFieldView) {
    const shared = {
      ...attempted(attempt, name),
      label,
      required: isRequired,
      ...(help !== null && { hint: help }),
      ...(!isRequired && type !== 'checkbox' && { optional: texts.optional }),
      ...(autocomplete !== undefined && { autocomplete }),
    };
    const length = maxLength === undefined ? {} : { maxLength };
    if (type === 'checkbox') return checkBox({ ...shared, isChecked: attempt?.values.get(name) === 'yes' });
    if (type === 'select')
      return select({ ...shared, choices: [['', texts.signUp.fields.choose], ...choices] });
    if (type === 'textarea') return textArea({ ...shared, ...length });
    return input({ ...shared, ...length, type });
  }
}
