const SIGNS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b.{0,60}\b(?:previous|above|prior|earlier|instructions?|rules?|prompt)\b/i,
  /\b(?:reveal|print|show|send|leak|exfiltrate)\b.{0,60}\b(?:system prompt|api[ _-]?keys?|secrets?|credentials?|access token)\b/i,
  /\b(?:call|invoke|use|run)\b.{0,12}\b(?:the|this|your) tool\b|\bsubmit_result\b|\bread_receipt\b/i,
  /\b(?:you are now|new instructions?:|as an ai|dear (?:ai|assistant|model))\b/i,
  /<\|?\/?(?:im_start|im_end|system|assistant|endoftext)\|?>|\[\/?INST\]|<<\/?SYS>>/i,
  /"?(?:receipt_id|evidence_class)"?\s{0,4}[:=]\s{0,4}"?r?\d/i,
  /\b(?:BEGIN|END) (?:TOOL RESULT|EVIDENCE)\b/,
];

/** True for text that speaks to a model instead of about a system (spec 07 B12). */
export function looksLikeInstruction(text: string): boolean {
  return text.split('\n').some((line) => SIGNS.some((sign) => sign.test(line.slice(0, 2000))));
}
