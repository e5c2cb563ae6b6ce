/** Does a text still hold what git writes around two sides that it could not join? */
export function hasConflictMarkers(text: string): boolean {
  return /^(?:<{7}|>{7}|\|{7})(?: |\r?$)/m.test(text);
}
