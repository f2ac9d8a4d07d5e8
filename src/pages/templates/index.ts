/** The templates of the sign-in pages. */
import type { Templates } from '../template.js';
import { card } from './card.js';
import { challenge } from './challenge.js';
import { code, link } from './code.js';
import { join } from './join.js';
import { message } from './message.js';
import { password } from './password.js';
import { phone } from './phone.js';
import { choosePassword, reset } from './reset.js';
import { secondStep } from './second-step.js';
import { signIn } from './sign-in.js';
import { passkeySignUp, signUp } from './sign-up.js';
import { verify } from './verify.js';

export const templates: Templates = {
  card,
  challenge,
  choosePassword,
  code,
  join,
  link,
  message,
  passkeySignUp,
  password,
  phone,
  reset,
  secondStep,
  signIn,
  signUp,
  verify,
};
