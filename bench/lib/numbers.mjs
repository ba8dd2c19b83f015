export function sorted(values) {
  return [...values].sort((a, b) => a - b);
}

/** The value below which this share of all lies. */
export function quantile(values, share) {
  const ordered = sorted(values);
  return ordered[Math.min(ordered.length - 1, Math.floor(ordered.length * share))];
}

export function median(values) {
  return quantile(values, 0.5);
}

/** One row of a table: a name and numbers right-aligned below their heads. */
export function row(name, ...cells) {
  return name.padEnd(26) + cells.map((cell) => text(cell).padStart(11)).join('');
}

function text(cell) {
  return typeof cell === 'number' ? cell.toFixed(1) : cell;
}

/** Runs the candidates in turn, each round from another one on, so that a drift of the machine meets all alike. */
export function inTurn(candidates, rounds, measure) {
  const names = Object.keys(candidates);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (let at = 0; at < names.length; at += 1) {
      const name = names[(round + at) % names.length];
      results[name].push(measure(candidates[name]));
    }
  }
  return results;
}

/** Prints whether a measured value keeps its limit; returns whether it does. */
export function judge(name, value, limit, unit = '') {
  const holds = value <= limit;
  console.log(
    `${holds ? 'ok      ' : 'EXCEEDED'} ${name}: ${value.toFixed(2)}${unit}, limit ${limit}${unit}`,
  );
  return holds;
}
