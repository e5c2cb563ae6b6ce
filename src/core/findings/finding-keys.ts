import type { ErrandId } from "../errand/errand.ts";
import type { Audit } from "../errand/errand-kinds.ts";

/** What an audit wrote on a pull request is found again by these, in hidden marks. */

export function findingKey(audit: Audit, id: string): string {
  return `finding/${audit}/${id}`;
}

export function reviewKey(errand: ErrandId): string {
  return `review-${errand}`;
}

/** An errand's id begins with its kind, and goes on with a number. */
export function isReviewOf(audit: Audit, key: string): boolean {
  return key.startsWith(`review-${audit}-`) && /^\d/.test(key.slice(`review-${audit}-`.length));
}
