/** Creates what a service consists of. Almost all code of the engine is behind this module: a build loads it with the first service. */
import { parseConfig, warnAbout } from '../config/parse-config.js';
import type { ServiceConfig } from '../config/service-config.js';
import type { EmailSender } from '../core/mail/senders/email-sender.js';
import type { SmsSender } from '../core/mail/senders/sms-sender.js';
import type { ServiceInternals } from '../core/internals.js';
import { capability } from '../core/support/capability.js';
import { StatisticsReports } from '../core/support/statistics-report.js';
import type { Toolkit } from '../core/toolkit.js';
import type { ReencryptCounts } from '../providers/totp/reencryption.js';
import type { PurgeCounts } from '../storage/adapter.js';
import { sendersOf } from './closing.js';
import { configured } from './configured.js';
import type { DiagnoseOptions } from './doctor/diagnose.js';
import type { Finding } from './doctor/finding.js';
import { createHealthCheck, type Health, type HealthOptions } from './health.js';
import { createFeatures, type ServiceFeatures } from './features.js';
import { LicenseCheck } from './license.js';
import { createProviders, type Providers } from './provider-registry.js';
import { tracedProviders } from './telemetry/traced-providers.js';
import { createInternals, createToolkit } from './toolkit.js';
import { purgeExpired, reencrypt, type PurgeOptions, type ReencryptOptions } from './upkeep.js';

/** The parts of a service. */
export interface Assembly {
  readonly diagnose: (options: DiagnoseOptions) => Promise<Finding[]>;
  readonly features: (isLicensed: boolean) => ServiceFeatures;
  readonly health: (options: HealthOptions) => Promise<Health>;
  readonly internals: ServiceInternals;
  readonly license: LicenseCheck;
  readonly providers: Providers;
  readonly sealEveryMs: number;
  readonly senders: ReadonlySet<EmailSender | SmsSender>;
  readonly statistics: StatisticsReports;
  readonly tools: Toolkit;
  readonly upkeep: {
    purgeExpired(options: PurgeOptions): Promise<PurgeCounts>;
    reencrypt(options: ReencryptOptions): Promise<ReencryptCounts>;
  };
}

/** @throws ConfigError that lists every fault of the configuration with its path. */
export function assemble(config: ServiceConfig): Assembly {
  const parsed = parseConfig(config);
  const tools = createToolkit(parsed);
  const { clock, logger, telemetry } = tools;
  const created = createProviders(parsed, tools);
  const providers = telemetry ? tracedProviders(telemetry, created) : created;
  const license = new LicenseCheck(parsed, clock, logger);
  warnAbout(parsed, logger);
  const internals = createInternals(parsed, tools, {
    refresh: () => configured('refresh', providers.refresh),
    secondFactor: () => providers.secondFactor,
    totp: () => configured('totp', providers.totp),
    webauthn: () => configured('webauthn', providers.webauthn),
  });
  return {
    diagnose: async (options) => {
      // Loaded with the first call: a service that no one examines needs none of it.
      const { diagnose } = await import('./doctor/diagnose.js');
      return diagnose(parsed, internals, options);
    },
    features: createFeatures(parsed, () => internals.consents.desk !== undefined),
    health: createHealthCheck(parsed),
    internals,
    license,
    providers,
    sealEveryMs: parsed.audit === false ? 0 : parsed.audit.sealEveryMs,
    senders: sendersOf(parsed),
    statistics: new StatisticsReports(tools.statistics && capability(tools.storage, 'statistics'), clock),
    tools,
    upkeep: {
      purgeExpired: (options) => purgeExpired(tools, parsed, () => license.isValid, options),
      reencrypt: (options) => reencrypt(tools, options),
    },
  };
}
