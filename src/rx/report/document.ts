/** A drawing as SVG markup that refers to nothing outside itself, and what it shows in words. */
export interface Picture {
  readonly title: string;
  readonly svg: string;
}

/** One part of a report. All texts are plain: rendering escapes them. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | {
      readonly kind: 'table';
      readonly header: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: 'picture'; readonly picture: Picture };

/** A report, independent of the form in which it is written. */
export type Document = readonly Block[];

export function heading(level: 1 | 2 | 3, text: string): Block {
  return { kind: 'heading', level, text };
}

export function paragraph(text: string): Block {
  return { kind: 'paragraph', text };
}

export function list(items: readonly string[]): Block {
  return { kind: 'list', items };
}

export function table(header: readonly string[], rows: readonly (readonly string[])[]): Block {
  return { kind: 'table', header, rows };
}

export function picture(drawn: Picture): Block {
  return { kind: 'picture', picture: drawn };
}
