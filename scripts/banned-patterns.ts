/** What readers have to decode, and what to write instead. Each pattern was counted dozens of times before it was banned. */

export interface BannedPattern {
  pattern: RegExp;
  instead: string;
}

const pronoun = '(?:it|they|there|one|none|nothing|something|either|both|we|this|that|these|those|he|she)';

export const bannedPatterns: readonly BannedPattern[] = [
  {
    pattern: /\b(?:that|what|which|who) (?:is|are) none\b/gi,
    instead: 'Say what is invalid, malformed or missing.',
  },
  {
    pattern:
      /\b(?<!\b[Tt]here )(?:is|are|was|were|be) no (?!longer\b|more\b|fewer\b|less\b|later\b|earlier\b|matter\b)[a-z]/g,
    instead: 'Say "is not a …", "unknown …" or "has no …".',
  },
  {
    pattern: /\b(?:whoever|whomever|whosoever|somebody|nobody|anybody|everybody)\b/gi,
    instead: 'Name the caller, user, client or attacker, or say "no one", "anyone", "everyone".',
  },
  {
    pattern: /\b(?:for|of|by|to|from|with|tells?) who\b/gi,
    instead: 'Name the user, caller, client or attacker.',
  },
  {
    pattern: new RegExp(
      `\\bwhere ${pronoun} (?:is|are|has|have|was|were|do|does|can|cannot|may|will|would)\\b`,
      'gi',
    ),
    instead: 'Say "if" or "when".',
  },
  { pattern: /(?:^|[.:;] )Where (?![^.?]*\?)(?=[a-z])/gm, instead: 'Say "If" or "When".' },
  {
    pattern: /\b(?:tells?|told|telling)\b/gi,
    instead: 'Say "logs", "returns", "reveals", "reports" or "shows".',
  },
  {
    pattern:
      /\b(?:holds?|held)\b(?! (?:the |a |an |its |one |no |that |this |both )?(?:\w+ )?(?:locks?|connections?)\b)/gi,
    instead: 'Say "is valid", "contains", "keeps" or "has". Only locks and connections are held.',
  },
  {
    pattern:
      /\bof (?:its|their|theirs|his|her|hers|my|our|ours|your|yours|one['’]s)(?: own)?(?=[.,;:)]|$| (?:and|or|is|are|that|which|to|with|in|for)\b)/gim,
    instead: 'Say "its own …", "their own …", "unique" or "separate".',
  },
  {
    pattern: /\b(?:beside|meanwhile|anew|for ever|mends?|mended|begets?|whilst|hitherto)\b/gi,
    instead: 'Say "also" or "next to", "in the meantime", "again", "forever", "fix", "creates".',
  },
  {
    pattern:
      /\b(?:goes on|go on|going on|went on|lets? (?:\w+ )?in|stays? in|stayed in)\b(?! (?:the|a|an|its|this|that|one|memory|place|order|sync|step|use)\b)/gi,
    instead: 'Say "remains valid", "continues", "stays signed in" or "authenticates".',
  },
  {
    pattern: /\b(?:a text|texted|the text) (?:to|of a|that|is|sent|for|by)\b|\btexts\b/gi,
    instead: 'Say "string", or "text message".',
  },
  { pattern: /\bhand(?:s|ed)? (?:\w+ )?in\b/gi, instead: 'Say "pass".' },
  {
    pattern: /\bin its stead\b|\bin their stead\b/gi,
    instead: 'Say "instead".',
  },
];

/** Passages in which a banned pattern is right. Keep the list short; each entry says why. */
export const exceptions: readonly string[] = [];
