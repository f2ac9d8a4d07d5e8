// The colors of mails: every brand has a button that is seen, and links and text that can be read.
import { contrast, rgb } from '../../src/domain/color.js';
import { mailColors } from '../../src/core/mail/mail-colors.js';

const accents = ['#000000', '#3f4fd9', '#1f6b4f', '#ffd400', '#f5c2d7', '#ffffff', '#777777', null];
const ratio = (one: string, other: string) => contrast(rgb(one), rgb(other));

describe.each(accents)('the colors of mails with the accent %s', (accent) => {
  it.each(['light', 'dark'] as const)('have the contrasts of WCAG 2.2, 1.4.3 (%s)', (scheme) => {
    const { page, card, soft, text, muted, accent: button, onAccent, link } = mailColors(accent)[scheme];
    const pairs = [
      [text, card],
      [text, soft],
      [muted, card],
      [muted, page],
      [link, card],
      [link, page],
      [onAccent, button],
    ] as const;
    for (const [one, other] of pairs)
      expect([one, other, ratio(one, other) >= 4.5]).toEqual([one, other, true]);
  });

  it.each(['light', 'dark'] as const)('have a button that differs from the card (%s)', (scheme) => {
    const { card, accent: button } = mailColors(accent)[scheme];
    expect(ratio(button, card)).toBeGreaterThan(1.3);
  });
});

it('a button keeps the color of its brand in the light', () => {
  for (const accent of ['#000000', '#ffd400', '#f5c2d7', '#1f6b4f'])
    expect(mailColors(accent).light.accent).toBe(accent);
});

it('a black brand has a white button in the dark, and a white brand a black one in the light', () => {
  expect(mailColors('#000000').dark).toMatchObject({ accent: '#f4f5f7', onAccent: '#10131a' });
  expect(mailColors('#ffffff').light).toMatchObject({ accent: '#16181d', onAccent: '#ffffff' });
});
