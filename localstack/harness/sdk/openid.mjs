// Uses the platform's OAuth endpoints by the library openid-client, as an application does, and prints the results as
// JSON. Its input comes on standard input, so that no secret is in the list of processes.
import { text } from "node:stream/consumers";
import * as client from "openid-client";

const given = JSON.parse(await text(process.stdin));

// The issuer is the platform's own address; requests go where it listens.
const fetched = (url, options) => fetch(String(url).replace(given.issuer, given.listens), options);

const discovered = (authentication) =>
  client.discovery(new URL(given.issuer), given.client_id, undefined, authentication, {
    algorithm: "oauth2",
    execute: [client.allowInsecureRequests],
    [client.customFetch]: fetched,
  });

// The error code of a request that must be refused.
const refused = (request) =>
  request.then(
    () => "not refused",
    (e) => e.error ?? e.cause?.error ?? String(e),
  );

const shown = ({ access_token, refresh_token, ...rest }) => ({ ...rest, refreshable: Boolean(refresh_token) });

async function flow(authentication, callback) {
  const config = await discovered(authentication);
  const checks = { pkceCodeVerifier: given.code_verifier, expectedState: given.state };
  const url = new URL(callback);
  const mixedUp = new URL(callback);
  mixedUp.searchParams.set("iss", "https://another.example");
  const mixUp = await client.authorizationCodeGrant(config, mixedUp, checks).then(
    () => "not refused",
    (e) => e.code,
  );
  const granted = await client.authorizationCodeGrant(config, url, checks);
  const refreshed = await client.refreshTokenGrant(config, granted.refresh_token, { scope: given.narrower });
  const wider = await refused(client.refreshTokenGrant(config, granted.refresh_token, { scope: "payments" }));
  const before = await client.tokenIntrospection(config, refreshed.access_token);
  await client.tokenRevocation(config, granted.refresh_token, { token_type_hint: "refresh_token" });
  const after = await client.tokenIntrospection(config, refreshed.access_token);
  const revoked = await refused(client.refreshTokenGrant(config, granted.refresh_token));
  const own = await client.clientCredentialsGrant(config, { scope: given.narrower });
  const profile = await client.genericGrantRequest(config, "password", given.profile);
  const again = await refused(client.authorizationCodeGrant(config, url, checks));
  return {
    mixUp, granted: shown(granted), refreshed: shown(refreshed), wider, before: before.active, scope: before.scope,
    after, revoked, own: shown(own), profile: shown(profile), again,
  };
}

const wrong = await discovered(client.ClientSecretBasic("wrong"));
console.log(JSON.stringify({
  basic: await flow(client.ClientSecretBasic(given.client_secret), given.callbacks[0]),
  post: await flow(client.ClientSecretPost(given.client_secret), given.callbacks[1]),
  wrong: await client.clientCredentialsGrant(wrong).then(() => "not refused", (e) => e.cause?.[0]?.scheme ?? e.code),
}));
