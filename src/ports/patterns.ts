/** Globs and regular expressions that take linear time whatever a plan says (T25). Both throw a UserError when malformed. */
export interface Patterns {
  glob(pattern: string): (path: string) => boolean;
  regex(source: string): (text: string) => boolean;
}
