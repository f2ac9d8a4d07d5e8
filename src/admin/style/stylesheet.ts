/** The stylesheet: the rules of later files win. */
import { base } from './base.js';
import { colors } from './colors.js';
import { controls } from './controls.js';
import { list } from './list.js';
import { messages } from './messages.js';
import { user } from './user.js';

export const stylesheet = [colors, base, controls, messages, list, user].join('');
