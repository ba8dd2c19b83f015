export type CompiledPattern =
  | { readonly ok: true; readonly pattern: RegExp }
  | { readonly ok: false; readonly problem: string };

const MAX_LENGTH = 200;
const MAX_UNBOUNDED = 2;

/** A literal text as a matcher of any letter case. */
export function literalPattern(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
}

/**
 * An expression from elsewhere, kept cheap (spec 07 B8.3): at most 200 characters, no back-reference, no look-around, no
 * nested quantifier, at most two unbounded ones, which then match at most 200 characters.
 */
export function safePattern(source: string): CompiledPattern {
  if (source.length > MAX_LENGTH) return refused(`an expression has at most ${MAX_LENGTH} characters`);
  if (/\\[1-9]|\\k</.test(source)) return refused('back-references are not supported');
  if (/\(\?[=!<]/.test(source)) return refused('look-around is not supported');
  if (/\)[*+?{]/.test(source) && /\([^)]*[*+{][^)]*\)[*+{]/.test(source))
    return refused('nested quantifiers are not supported');
  if (/\([^)]*\([^)]*\)/.test(source) && /\)[*+{]/.test(source))
    return refused('quantified groups with groups inside are not supported');
  let unbounded = 0;
  const bounded = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]|[*+]|\{\d+,\}/g, (part) => {
    if (part === '*' || part === '+') {
      unbounded += 1;
      return part === '*' ? `{0,${MAX_LENGTH}}` : `{1,${MAX_LENGTH}}`;
    }
    if (part.startsWith('{')) {
      unbounded += 1;
      return part.replace(',}', `,${MAX_LENGTH}}`);
    }
    return part;
  });
  if (unbounded > MAX_UNBOUNDED) return refused(`at most ${MAX_UNBOUNDED} of * and + are supported`);
  try {
    return { ok: true, pattern: new RegExp(bounded, 'i') };
  } catch {
    return refused('not a valid expression');
  }
}

function refused(problem: string): CompiledPattern {
  return { ok: false, problem };
}
