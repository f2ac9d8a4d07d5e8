/** A site that people visit in a browser, and the messages that it has sent. */
export interface Message {
  id: number;
  to: string;
  code?: string | undefined;
  link?: string | undefined;
}

export interface Site {
  origin: string;
  /** Every message so far, newest first. */
  messages(): Promise<Message[]>;
  stop(): Promise<void>;
}
