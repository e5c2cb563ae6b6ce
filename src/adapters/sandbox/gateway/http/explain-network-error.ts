import { messageOf } from "../../../../core/errors.ts";
import { table } from "../../../../core/table.ts";

/** Why a host could not be reached, in a few words for people and agents. */
export function explainNetworkError(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? "";
  return (
    REASONS[code] ??
    (isCertificateCode(code) ? `its certificate is not trusted (${code})` : plain(error, code))
  );
}

const REASONS: Readonly<Record<string, string>> = table({
  ECONNREFUSED: "it refused the connection",
  ECONNRESET: "it broke off the connection",
  EPIPE: "it broke off the connection",
  ETIMEDOUT: "it did not answer in time",
  EHOSTUNREACH: "there is no way to it",
  ENETUNREACH: "there is no way to it",
  ENOTFOUND: "its name was not found",
  EAI_AGAIN: "its name could not be looked up now",
  HPE_INVALID_CONSTANT: "it does not speak HTTP",
  EPROTO: "it does not speak TLS as expected",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
});

function isCertificateCode(code: string): boolean {
  return /CERT|SIGNATURE|ISSUER|SELF_SIGNED/.test(code);
}

function plain(error: unknown, code: string): string {
  // Several addresses were tried, and each failed in its way.
  if (error instanceof AggregateError && error.errors.length > 0) return explainNetworkError(error.errors[0]);
  if (code.startsWith("HPE_")) return "it does not speak HTTP as expected";
  return messageOf(error);
}
