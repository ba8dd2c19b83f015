/** Bands of confidence, lowest first. */
export const CONFIDENCE_LEVELS = ['low', 'medium', 'high'] as const;

export type ConfidenceLevel = (typeof CONFIDENCE_LEVELS)[number];

export function isConfidenceLevel(value: unknown): value is ConfidenceLevel {
  return CONFIDENCE_LEVELS.some((level) => level === value);
}

/** Thresholds of the bands and ceilings when clamping (spec 07 A9, A13). */
export interface BandLimits {
  readonly mediumMin: number;
  readonly highMin: number;
  readonly lowCeiling: number;
  readonly mediumCeiling: number;
}

export const DEFAULT_BANDS: BandLimits = {
  mediumMin: 0.55,
  highMin: 0.85,
  lowCeiling: 0.5,
  mediumCeiling: 0.8,
};

export function rankOf(level: ConfidenceLevel): number {
  return CONFIDENCE_LEVELS.indexOf(level);
}

export function lowerOf(a: ConfidenceLevel, b: ConfidenceLevel): ConfidenceLevel {
  return rankOf(a) <= rankOf(b) ? a : b;
}

/** One band down; low stays low. */
export function oneLower(level: ConfidenceLevel): ConfidenceLevel {
  return level === 'high' ? 'medium' : 'low';
}

export function bandOf(confidence: number, limits: BandLimits = DEFAULT_BANDS): ConfidenceLevel {
  if (confidence >= limits.highMin) return 'high';
  return confidence >= limits.mediumMin ? 'medium' : 'low';
}

export function ceilingOf(level: ConfidenceLevel, limits: BandLimits = DEFAULT_BANDS): number {
  if (level === 'high') return 1;
  return level === 'medium' ? limits.mediumCeiling : limits.lowCeiling;
}

/** The confidence, cut to what its band may hold. */
export function clampTo(
  confidence: number,
  level: ConfidenceLevel,
  limits: BandLimits = DEFAULT_BANDS,
): number {
  return Math.min(confidence, ceilingOf(level, limits));
}
