/** The colors of mails, in light and dark: those of the brand, as the pages derive them. */
import { buttonGround, hex, parseColor, shiftUntil, textOn, white, type Rgb } from '../../domain/color.js';

export interface MailColors {
  /** The ground around the card. */
  page: string;
  card: string;
  border: string;
  text: string;
  muted: string;
  /** The ground of a code. */
  soft: string;
  accent: string;
  onAccent: string;
  link: string;
}

const usualAccent: Rgb = [63, 79, 217];
const darkCard: Rgb = [23, 27, 34];

/** Returns the colors for an accent such as `#1f6b4f`; null for that of the package. */
export function mailColors(accent: string | null): { light: MailColors; dark: MailColors } {
  const color = parseColor(accent) ?? usualAccent;
  return {
    light: {
      page: '#f3f4f6',
      card: '#ffffff',
      border: '#e3e6ea',
      text: '#1b1f27',
      muted: '#5d6673',
      soft: '#f3f4f6',
      ...accentColors(buttonGround(color, 'light', [white]), white, 'darker'),
    },
    dark: {
      page: '#0e1116',
      card: hex(darkCard),
      border: '#2c333e',
      text: '#e9ecf1',
      muted: '#a3acb9',
      soft: '#222935',
      ...accentColors(buttonGround(color, 'dark', [darkCard]), darkCard, 'lighter'),
    },
  };
}

function accentColors(
  button: Rgb,
  card: Rgb,
  away: 'darker' | 'lighter',
): Pick<MailColors, 'accent' | 'onAccent' | 'link'> {
  // More than text needs: the footer is on the page, which is a little darker than the card.
  const link = shiftUntil(button, away, [card], 5);
  return { accent: hex(button), onAccent: hex(textOn(button)), link: hex(link) };
}
