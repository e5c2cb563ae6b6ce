/** In US dollars, with cents where there are any: $20, $1.25. */
export function formatUsd(amount: number): string {
  const rounded = Math.round(Math.max(0, amount) * 100) / 100;
  return Number.isInteger(rounded) ? `$${rounded}` : `$${rounded.toFixed(2)}`;
}
