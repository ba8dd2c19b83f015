/** One HTTP answer as it came, its body bounded. */
export interface Exchange {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body was longer than the limit; the rest was not read. */
  readonly isCut: boolean;
}
