/** The text without halves of surrogate pairs at its ends, as cutting leaves them. */
export function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '');
}
