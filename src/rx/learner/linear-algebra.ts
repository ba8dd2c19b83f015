/** A symmetric positive definite matrix that was not one. */
export class NotPositiveDefiniteError extends Error {
  constructor(column: number) {
    super(`matrix is not positive definite at column ${column}`);
    this.name = 'NotPositiveDefiniteError';
  }
}

/**
 * Lower Cholesky factor L of A = L·Lᵀ (Golub & Van Loan, Matrix Computations, algorithm 4.2.1).
 *
 * @param matrix symmetric, positive definite; rows of equal length
 */
export function cholesky(matrix: readonly (readonly number[])[]): number[][] {
  const lower: number[][] = [];
  for (const [i, row] of matrix.entries()) {
    const current: number[] = [];
    for (let j = 0; j <= i; j++) {
      const other = j === i ? current : (lower[j] ?? []);
      let sum = row[j] ?? 0;
      for (let k = 0; k < j; k++) sum -= (current[k] ?? 0) * (other[k] ?? 0);
      if (j < i) {
        current.push(sum / (other[j] ?? 1));
      } else {
        if (!(sum > 0)) throw new NotPositiveDefiniteError(i);
        current.push(Math.sqrt(sum));
      }
    }
    lower.push(current);
  }
  return lower;
}

/** Solves A·x = b given the lower factor of A. */
export function solveFactored(lower: readonly (readonly number[])[], b: readonly number[]): number[] {
  const y = forwardSolve(lower, b);
  const x = new Array<number>(y.length).fill(0);
  for (let i = y.length - 1; i >= 0; i--) {
    let sum = y[i] ?? 0;
    for (let k = i + 1; k < y.length; k++) sum -= (lower[k]?.[i] ?? 0) * (x[k] ?? 0);
    x[i] = sum / (lower[i]?.[i] ?? 1);
  }
  return x;
}

/** Solves L·y = b; ‖y‖² is then bᵀ·A⁻¹·b. */
export function forwardSolve(lower: readonly (readonly number[])[], b: readonly number[]): number[] {
  const y: number[] = [];
  for (const [i, row] of lower.entries()) {
    let sum = b[i] ?? 0;
    for (let k = 0; k < i; k++) sum -= (row[k] ?? 0) * (y[k] ?? 0);
    y.push(sum / (row[i] ?? 1));
  }
  return y;
}

export function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
