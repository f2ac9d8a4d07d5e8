/** Recognizes the failure to reach a server, to describe it to developers. */

const networkCodes = [
  'EACCES',
  'EAI_AGAIN',
  // Of nodemailer: the server refuses the user or the password.
  'EAUTH',
  'ECONNECTION',
  'ECONNREFUSED',
  'ECONNRESET',
  'EDNS',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ESOCKET',
  'ETIMEDOUT',
];
const tlsCode = /^(?:ERR_(?:TLS|SSL)_|ETLS$|CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_)/;

interface Failure {
  message?: unknown;
  code?: unknown;
  errors?: unknown;
  cause?: unknown;
}

/**
 * Returns what could not be reached and why, such as `connect ECONNREFUSED 127.0.0.1:5432`, from the error of a network connection or
 * of TLS, or an error that has one as its cause. Undefined for any other error. Names hosts, ports and paths of sockets, never data.
 */
export function networkFault(error: unknown): string | undefined {
  try {
    return faultIn(error, 0);
  } catch {
    // A function of the application may throw an object whose properties throw.
    return undefined;
  }
}

function faultIn(error: unknown, depth: number): string | undefined {
  const { message, code, errors, cause } = Object(error) as Failure;
  // One error for each address of the host, without a message that covers all.
  const reasons = Array.isArray(errors) && depth < 3 ? errors.map((each) => faultIn(each, depth + 1)) : [];
  const known = [...new Set(reasons.filter((reason) => reason !== undefined))];
  if (known.length > 0) return known.join(', ');
  if (typeof code === 'string' && (networkCodes.includes(code) || tlsCode.test(code)))
    return typeof message === 'string' && message !== '' ? message : code;
  return cause !== undefined && depth < 3 ? faultIn(cause, depth + 1) : undefined;
}

/** Returns `failure` with what could not be reached. Undefined if `error` has another cause. */
export function withNetworkFault(failure: string, error: unknown): string | undefined {
  const reason = networkFault(error);
  return reason && `${failure}: ${reason}.`;
}
