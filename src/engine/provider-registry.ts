/** Which providers the configuration enables, each made once with its tools. */
import type { ParsedConfig } from '../config/schema.js';
import type { Toolkit } from '../kit/toolkit.js';
import { EmailCodeProvider } from '../providers/email-code.js';
import { EmailPasswordProvider } from '../providers/email-password.js';
import { MagicLinkProvider } from '../providers/magic-link.js';
import { GoogleProvider } from '../providers/oauth/google.js';

export function createProviders({ providers }: ParsedConfig, tools: Toolkit) {
  const { emailCode, magicLink, emailPassword, google } = providers;
  return {
    emailCode: emailCode && new EmailCodeProvider(emailCode, tools),
    magicLink: magicLink && new MagicLinkProvider(magicLink, tools),
    emailPassword: emailPassword && new EmailPasswordProvider(emailPassword, tools),
    oauthNames: typeof providers.oauth === 'object' ? Object.keys(providers.oauth) : [],
    google: google && new GoogleProvider(google, tools),
  };
}

export type Providers = ReturnType<typeof createProviders>;
