/** Templates of the server-rendered pages. Every value is escaped, unless it is itself `Html`: no other code creates markup. */

/** Markup. Only the tag `html` creates it, so a string of a user never becomes markup. */
export class Html {
  /** @param text markup that is already escaped. */
  private constructor(readonly text: string) {}

  /** Only for the tag `html`. */
  static ofParts(parts: readonly string[], values: readonly Value[]): Html {
    let text = parts[0] ?? '';
    for (let index = 0; index < values.length; index += 1)
      text += render(values[index]) + (parts[index + 1] ?? '');
    return new Html(text);
  }
}

/** False, null and undefined render nothing: `${isBlocked && html`…`}`. */
export type Value = Html | string | number | false | null | undefined | readonly Value[];

/** Returns markup from a template. Write values between tags, or inside quotes as the value of an attribute. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return Html.ofParts(parts, values);
}

function render(value: Value): string {
  if (value instanceof Html) return value.text;
  if (isList(value)) return value.map(render).join('');
  if (value === undefined || value === null || value === false) return '';
  const plain = String(value);
  // Most values have nothing to escape.
  return /[&<>"'`]/.test(plain)
    ? plain.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
    : plain;
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
