const PIPE =
  /(?:curl|wget|base64|echo|printf)\b[^\n|]{0,400}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b[^\n]{0,200}|\|\s*(?:sudo\s+)?(?:(?:ba|z|da|k)?sh|python3?|perl|ruby|node)\b[^\n]{0,200}/gi;
const URL = /https?:\/\/[^\s"'<>)\]]{1,400}/gi;
const REMOVED = '[removed]';

export interface SafeFix {
  readonly text: string;
  readonly warnings: readonly string[];
}

/**
 * Takes out of a proposed fix what poisoned telemetry could have put there: downloads piped into an interpreter, and
 * addresses that neither evidence nor configuration holds (spec 07 B11.2).
 */
export function safeFix(text: string, isKnownUrl: (url: string) => boolean): SafeFix {
  const warnings: string[] = [];
  const withoutPipes = text.replace(PIPE, () => {
    warnings.push('a command piped into an interpreter was removed from the proposed fix');
    return REMOVED;
  });
  const safe = withoutPipes.replace(URL, (url) => {
    if (isKnownUrl(url)) return url;
    warnings.push('an address that is not in the evidence was removed from the proposed fix');
    return REMOVED;
  });
  return { text: safe, warnings };
}
