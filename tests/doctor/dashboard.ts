/** The metrics that the dashboard of docs/telemetry-dashboard.json reads. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
}

/** The names of metrics in Prometheus, and of OpenTelemetry. */
const names: Record<string, string> = {
  svc_auth_sign_ins_total: 'svc_auth.sign_ins',
  svc_auth_mails_total: 'svc_auth.mails',
  svc_auth_text_messages_total: 'svc_auth.text_messages',
  svc_auth_limits_refused_total: 'svc_auth.limits.refused',
  svc_auth_queue_length: 'svc_auth.queue.length',
  svc_auth_session_check_duration_seconds_bucket: 'svc_auth.session.check.duration',
  svc_auth_session_check_duration_seconds_count: 'svc_auth.session.check.duration',
  svc_auth_password_queue_duration_seconds_bucket: 'svc_auth.password.queue.duration',
};

/** Returns the names of OpenTelemetry, sorted. */
export function dashboardMetrics(): string[] {
  const file = path.resolve(import.meta.dirname, '../../docs/telemetry-dashboard.json');
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as Dashboard;
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n');
  const used = queries.match(/\bsvc_auth_\w+(?=\{|\[)/g) ?? [];
  return [...new Set(used.map((name) => names[name] ?? `unknown: ${name}`))].sort();
}
