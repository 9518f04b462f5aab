// The two JavaScript implementations of RFC 9421: reads {private, public, requests} from standard input, verifies each
// request with both, signs each URL with both, and prints {verified: [[..]], signed: [[..]]}.
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { component, createSignature, verifySignature } from "http-message-sig";
import { httpbis } from "http-message-signatures";

const input = JSON.parse(await new Response(process.stdin).text());
const privateKey = createPrivateKey({ key: input.private, format: "jwk" });
const publicKey = createPublicKey({ key: input.public, format: "jwk" });
const covered = ["@authority", component("signature-agent", { key: "sig1" })];

const descriptor = ({ method, url, headers }) => ({
  kind: "request", method, targetUri: url,
  fields: Object.entries(headers).map(([name, value]) => ({ name, value })),
});

async function said(check) {
  try {
    return (await check()) ? "verified" : "no";
  } catch (error) {
    return `no: ${error.message}`;
  }
}

const verifiers = [
  (request) => verifySignature(descriptor(request), {
    label: "sig1",
    policy: {
      algorithms: ["ed25519"], requiredComponents: covered, requiredParameters: ["created", "expires", "keyid"],
      clockSkew: 5,
    },
    resolveVerifier: () => ({ algorithm: "ed25519", verify: (data, signature) => verify(null, data, publicKey, signature) }),
  }),
  (request) => httpbis.verifyMessage({
    keyLookup: async () => ({
      id: input.public.kid, algs: ["ed25519"],
      verify: async (data, signature) => verify(null, data, publicKey, signature),
    }),
    requiredFields: ["@authority"], tolerance: 5,
  }, request),
];

async function signed(url) {
  const created = Math.floor(Date.now() / 1000);
  const agent = { "Signature-Agent": `sig1="${input.agent}"` };
  const values = { created, keyid: input.public.kid, alg: "ed25519", expires: created + 300, nonce: "abc", tag: "web-bot-auth" };
  const first = await createSignature(descriptor({ method: "GET", url, headers: agent }), {
    label: "sig1", components: covered, parameters: values,
    signer: { algorithm: "ed25519", sign: (data) => sign(null, data, privateKey) },
  });
  const second = await httpbis.signMessage({
    key: { id: input.public.kid, alg: "ed25519", sign: async (data) => sign(null, data, privateKey) },
    name: "sig1", fields: ["@authority", '"signature-agent";key="sig1"'],
    params: ["created", "keyid", "alg", "expires", "nonce", "tag"],
    paramValues: { ...values, created: new Date(created * 1000), expires: new Date(values.expires * 1000) },
  }, { method: "GET", url, headers: { ...agent } });
  return [{ ...agent, "Signature-Input": first.signatureInput, Signature: first.signature }, second.headers];
}

const verified = [];
for (const request of input.requests) {
  verified.push(await Promise.all(verifiers.map((check) => said(() => check(request)))));
}
const signatures = [];
for (const { url } of input.requests) signatures.push(await signed(url));
console.log(JSON.stringify({ verified, signed: signatures }));
