/** A minimal template: values are escaped. */

export class Html {
  constructor(readonly text: string) {}
}

export type Value = Html | string | number | false | null | undefined | Value[];

/** Returns HTML from a template. Values are escaped unless they are `Html`. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(
    parts.map((part, index) => part + (index < values.length ? render(values[index]) : '')).join(''),
  );
}

function render(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  if (value === undefined || value === null || value === false) return '';
  return String(value).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
