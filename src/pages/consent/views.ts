/** What the templates of the pages get on which users give access. */
import type { StepView } from '../step-view.js';

/** An application asks for access to the account of the user. */
export interface ConsentView extends StepView {
  /** Of the request. */
  id: string;
  /** `host` is that of a client whose id is an address. Null for a client that is registered. */
  client: { id: string; name: string; uri: string | null; host: string | null };
  /** What it asks for, in words. */
  scopes: readonly string[];
  /** The host to which the browser returns. */
  host: string;
  /** Whether that is this computer. */
  isLocal: boolean;
  /** The account, while it can decide. */
  user: { id: string; email: string } | null;
  /** Where the browser continues after the decision. Null before it. */
  continuesAt: string | null;
}

/** The code of a device is entered (`enter`), or its user decides (`decide`). */
export interface DeviceView extends StepView {
  step: 'enter' | 'decide';
  /** What was typed, or is in the address. Before the decision as the device shows it. */
  code: string;
  /** Who asks, and for what, in words. Null while the code is entered. */
  request: Pick<ConsentView, 'client' | 'scopes'> | null;
  /** The account that decides. Null while the code is entered. */
  user: ConsentView['user'];
}
