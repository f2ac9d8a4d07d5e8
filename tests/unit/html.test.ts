// The template of the server-rendered pages: no value becomes markup.
import { html, type Html } from '../../src/html/html.js';

describe('html', () => {
  it('keeps the markup of the template and of other templates', () => {
    const item = (text: string) => html`<li>${text}</li>`;
    expect(
      html`<ul>
        ${['a', 'b'].map(item)}
      </ul>`.text.replaceAll(/\s+/g, ''),
    ).toBe('<ul><li>a</li><li>b</li></ul>');
  });

  it.each([
    ['<script>alert(1)</script>', '&#60;script&#62;alert(1)&#60;/script&#62;'],
    ['" onfocus="alert(1)', '&#34; onfocus=&#34;alert(1)'],
    ["' onfocus='alert(1)", '&#39; onfocus=&#39;alert(1)'],
    ['&lt;b&gt;', '&#38;lt;b&#38;gt;'],
    ['`${x}`', '&#96;${x}&#96;'],
    ['</textarea>', '&#60;/textarea&#62;'],
  ])('escapes %s', (value, escaped) => {
    expect(html`<p title="${value}">${value}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`);
    expect(html`${[value, [value]]}`.text).toBe(escaped + escaped);
  });

  it('renders numbers, and nothing for false, null and undefined', () => {
    expect(html`${0}${1}|${false}${null}${undefined}|${''}`.text).toBe('01||');
  });

  it('does not accept an object that looks like markup', () => {
    const forged = { text: '<b>x</b>' } as unknown as Html;
    expect(html`${forged}`.text).not.toContain('<b>');
    const parsed = JSON.parse('{"text": "<b>x</b>", "constructor": {"name": "Html"}}') as Html;
    expect(html`${parsed}`.text).not.toContain('<b>');
  });

  it('escapes values of other types that reach it at run time', () => {
    const value = { toString: () => '<b>x</b>' } as unknown as string;
    expect(html`${value}`.text).toBe('&#60;b&#62;x&#60;/b&#62;');
    expect(html`${true as unknown as string}`.text).toBe('true');
  });
});
