/** The option `brand`: how pages and mails show the product. */
import * as z from 'zod';
import { isSafeUrl } from './link-targets.js';

/** What pages and mails show. */
export interface Brand {
  name: string;
  /** Paths of the site, or URLs. Both are the same image if there is only one. */
  logo: { light: string; dark: string } | null;
  /** A color such as `#1f6b4f`. Null: the color of the package. */
  accent: string | null;
  /** An https or `mailto:` URL. */
  supportUrl: string | null;
  mailLogo: MailLogo | null;
}

/** An image in mails, in CSS pixels. */
export interface MailLogo {
  url: string;
  /** The image on a dark ground. Null: the same. */
  dark: string | null;
  width: number;
  height: number;
}

export const productName = () =>
  z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^[^\r\n\0]*$/, 'must be one line');

const pageImageForm = 'must be a path that starts with one /, or an https URL';
const pageImage = z
  .string(pageImageForm)
  .refine((value) => /^\/(?![/\\])[\x21-\x7e]*$/.test(value) || isSafeWebUrl(value), pageImageForm);

const mailImageForm = 'must be the https URL of a PNG, JPEG or GIF: mail programs show no other images';
const mailImage = z
  .string(mailImageForm)
  .refine(
    (value) => isSafeWebUrl(value) && !/\.(?:svgz?|webp|avif)$/i.test(new URL(value).pathname),
    mailImageForm,
  );

const pixels = (max: number) => z.number().int().min(1).max(max);

export const brandOptions = z.strictObject({
  name: productName()
    .optional()
    .describe("Your product's name on pages, in mails and authenticator apps. If absent, `appName`."),
  logo: z
    .union([
      pageImage,
      z.strictObject({
        light: pageImage.describe('The logo on a light ground.'),
        dark: pageImage.describe('The logo on a dark ground.'),
      }),
    ])
    .optional()
    .describe(
      'The logo on the pages, instead of the name: a path of the site, or an https URL. `{ light, dark }` has one for each color scheme.',
    ),
  accent: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'must be a color such as #1f6b4f')
    .optional()
    .describe('The color of buttons and links, such as `#1f6b4f`.'),
  supportUrl: z
    .string()
    .refine(isSupportUrl, 'must be an https URL, or an address such as mailto:support@acme.test')
    .optional()
    .describe('The page or address for help: an https URL, or `mailto:` and an address.'),
  mailLogo: z
    .strictObject({
      url: mailImage.describe('The https URL of the image: PNG, JPEG or GIF.'),
      dark: mailImage.optional().describe('The image on a dark ground. If absent, `url`.'),
      width: pixels(520).describe(
        'The width in CSS pixels. An image of twice the size is sharp on every screen.',
      ),
      height: pixels(200).describe('The height in CSS pixels.'),
    })
    .optional()
    .describe(
      'The logo in mails, instead of the name. Mail programs load it from your server, and show the name until the reader allows images.',
    ),
});

/** Returns the brand with its defaults. */
export function resolveBrand(options: z.output<typeof brandOptions>, appName: string): Brand {
  const { name = appName, logo = null, accent = null, supportUrl = null, mailLogo = null } = options;
  return {
    name,
    logo: typeof logo === 'string' ? { light: logo, dark: logo } : logo,
    accent: accent?.toLowerCase() ?? null,
    supportUrl,
    mailLogo: mailLogo && { ...mailLogo, dark: mailLogo.dark ?? null },
  };
}

function isSafeWebUrl(value: string): boolean {
  return URL.canParse(value) && isSafeUrl(new URL(value));
}

function isSupportUrl(value: string): boolean {
  return /^mailto:[^\s@?"<>]+@[^\s@?"<>]+$/.test(value) || isSafeWebUrl(value);
}
