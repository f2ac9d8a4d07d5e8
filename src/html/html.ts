/** Templates of the server-rendered pages. Every value is escaped, unless it is itself `Html`: no other code creates markup. */

/** Markup. Only the tag `html` creates it, so a string of a user never becomes markup. */
export class Html {
  /** @param text markup that is already escaped. */
  private constructor(readonly text: string) {}

  /** Only for the tag `html`. */
  static ofParts(template: TemplateStringsArray, values: readonly Value[]): Html {
    const parts = partsOf(template);
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

const knownParts = new WeakMap<TemplateStringsArray, readonly string[]>();

/** Returns the parts without the indentation of the source, which is a third of a page. A line break remains: it may be a space. */
function partsOf(template: TemplateStringsArray): readonly string[] {
  let parts = knownParts.get(template);
  if (parts === undefined) {
    parts = template.map((part) => part.replace(/\s*\n\s*/g, '\n'));
    knownParts.set(template, parts);
  }
  return parts;
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
