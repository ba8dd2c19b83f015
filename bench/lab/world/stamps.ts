/** Unix s as the Coordinator writes it: UTC, microseconds (spec 02 §6). */
export function isoStamp(unix: number): string {
  const whole = Math.floor(unix);
  const micros = Math.round((unix - whole) * 1e6);
  return `${new Date(whole * 1000).toISOString().slice(0, 19)}.${String(micros).padStart(6, '0')}+00:00`;
}
