export { packageRoot } from "../../adapters/os/package-root.ts";
