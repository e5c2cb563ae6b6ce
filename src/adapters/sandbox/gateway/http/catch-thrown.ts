/**
 * A listener whose errors end in `onThrown`. What is thrown out of an event ends Loom with every run in it, and much of what
 * the gateway listens to is written by strangers (T25).
 */
export function catchThrown<Given extends unknown[]>(
  listener: (...given: Given) => void,
  onThrown: (error: unknown) => void,
): (...given: Given) => void {
  return (...given) => {
    try {
      listener(...given);
    } catch (error) {
      onThrown(error);
    }
  };
}
