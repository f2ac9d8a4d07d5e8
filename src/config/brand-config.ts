/** The option `brand`. */

export interface BrandConfig {
  /** Your product's name on pages, in mails and authenticator apps. If absent, `appName`. */
  name?: string | undefined;
  /**
   * The logo on the pages, instead of the name: a path of the site, or an https URL. `{ light, dark }` has one
   * for each color scheme.
   */
  logo?: string | BrandLogoConfig | undefined;
  /** The color of buttons and links, such as `#1f6b4f`. */
  accent?: string | undefined;
  /** The page or address for help: an https URL, or `mailto:` and an address. */
  supportUrl?: string | undefined;
  /**
   * The logo in mails, instead of the name. Mail programs load it from your server, and show the name until the
   * reader allows images.
   */
  mailLogo?: MailLogoConfig | undefined;
}

export interface BrandLogoConfig {
  /** The logo on a light ground. */
  light: string;
  /** The logo on a dark ground. */
  dark: string;
}

export interface MailLogoConfig {
  /** The https URL of the image: PNG, JPEG or GIF. */
  url: string;
  /** The image on a dark ground. If absent, `url`. */
  dark?: string | undefined;
  /** The width in CSS pixels. An image of twice the size is sharp on every screen. */
  width: number;
  /** The height in CSS pixels. */
  height: number;
}
