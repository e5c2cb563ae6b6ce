/** An address as it may be shown: whoever it is for, and what stands behind the question mark, is often a key. */
export function hideInAddress(address: string): string {
  return address
    .replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, `$1${HIDDEN}@`)
    .replace(/^[^@/?#]*@/, `${HIDDEN}@`)
    .replace(/#.*$/s, "")
    .replace(/\?.*$/s, (query) => query.replace(/([?&])([^=&]*=)?[^&]*/g, `$1$2${HIDDEN}`));
}

const HIDDEN = "[hidden]";
