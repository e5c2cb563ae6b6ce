import type { Login, User } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { apiUrl, htmlUrl, nodeId } from "./addresses.ts";

/** Somebody nobody knows any more shows as GitHub's ghost. */
export function userShape(world: World, login: Login) {
  const user: User = world.github.users.get(login) ?? { id: 0, login, type: "User", name: login };
  const url = apiUrl(world, `/users/${encodeURIComponent(user.login)}`);
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId("User", user.id),
    avatar_url: htmlUrl(world, `/avatars/u/${user.id}`),
    gravatar_id: "",
    url,
    html_url: htmlUrl(world, `/${htmlName(user)}`),
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: user.type,
    site_admin: false,
  };
}

/** What `GET /users/{username}` and `GET /user` give. */
export function publicUserShape(world: World, user: User) {
  const repositories = world.github.repositories.filter((one) => one.owner === user.login && !one.private);
  return {
    ...userShape(world, user.login),
    user_view_type: "public",
    name: user.name,
    company: null,
    blog: "",
    location: null,
    email: null,
    hireable: null,
    bio: null,
    twitter_username: null,
    public_repos: repositories.length,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: "2020-01-01T00:00:00Z",
    updated_at: "2020-01-01T00:00:00Z",
  };
}

function htmlName(user: User): string {
  return user.type === "Bot" ? `apps/${user.login.replace(/\[bot\]$/, "")}` : user.login;
}
