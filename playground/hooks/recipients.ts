import type { Subjects } from "../model/people/subjects.ts";
import type { App, Change, Installation } from "../model/types.ts";
import type { World } from "../model/world.ts";
import { hasWebhook } from "./build-payload.ts";

export type Recipient = { readonly app: App; readonly installation: Installation };

/** Goes to the App concerned, whether it subscribed or not. */
const ABOUT_INSTALLATIONS: readonly string[] = ["installation", "installation_repositories"];
/** A wish of a person or of GitHub about one App's checks: no other App hears of it. */
const FOR_ITS_APP: readonly string[] = ["rerequested", "requested_action", "requested"];

/** The Apps that are told: installed on the repository, not suspended, subscribed to the event. */
export function recipients(world: World, change: Change): Recipient[] {
  const { apps, installations } = world.github;
  const withApp = (installation: Installation): Recipient[] => {
    const app = apps.find((one) => one.id === installation.app);
    return app && app.webhookUrl !== null ? [{ app, installation }] : [];
  };
  if (ABOUT_INSTALLATIONS.includes(change.event)) {
    return withApp((change.subject as Subjects["installation"]).installation);
  }
  const { repository } = change;
  if (repository === null || !hasWebhook(change.event)) return [];
  const only = onlyApp(change);
  return installations
    .filter((one) => !one.removed && !one.suspended && one.repositories.includes(repository))
    .filter((one) => only === null || one.app === only)
    .flatMap(withApp)
    .filter(({ app }) => app.events.includes(change.event));
}

function onlyApp({ event, action, subject }: Change): number | null {
  if (action === null || !FOR_ITS_APP.includes(action)) return null;
  if (event === "check_run") return (subject as Subjects["check_run"]).checkRun.app;
  if (event === "check_suite") return (subject as Subjects["check_suite"]).checkSuite.app;
  return null;
}
